package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.CubePlace;
import io.volute.benchmarks.cleaning.store.ServerPlace;
import io.volute.benchmarks.cleaning.store.StorePlace;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The layers between the writers and the log. */
enum CleaningTarget {
    /** Nothing: the public API of a cube in this process. */
    CUBE,
    /** A server process and HTTP. */
    SERVER;

    StorePlace place(Path directory, Content content) {
        return switch (this) {
            case CUBE -> new CubePlace(directory, content);
            case SERVER -> new ServerPlace(directory, content);
        };
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the variants that can be measured through these layers. */
    List<Variant> variants() {
        return Arrays.stream(Variant.values())
                .filter(variant -> this == CUBE || variant.isServers())
                .toList();
    }

    /**
     * @throws IllegalArgumentException when it cannot be measured, with what can be
     */
    void require(List<Variant> variants, List<TableWorkload> workloads) {
        if (!variants().containsAll(variants)) {
            throw new IllegalArgumentException(
                    "--through "
                            + title()
                            + " measures only --variants "
                            + variants().stream()
                                    .map(Variant::title)
                                    .collect(Collectors.joining(","))
                            + ": the server has no settings for other ways to clean");
        }
        if (this == SERVER && !workloads.isEmpty()) {
            throw new IllegalArgumentException(
                    "--through server measures no workloads of table 1: use --workloads none");
        }
    }
}
