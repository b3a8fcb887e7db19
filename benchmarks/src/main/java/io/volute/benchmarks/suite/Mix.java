package io.volute.benchmarks.suite;

import io.volute.benchmarks.suite.SuiteOptions.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What clients do, as arguments of the load driver. */
enum Mix {
    /** New small objects. */
    PUT,
    /** Small objects. */
    GET,
    /** Small objects, overwritten by three in ten requests. */
    MIXED,
    /** Small objects, each once. */
    DELETE,
    /** Pages of a thousand keys. */
    LIST,
    /** Large objects, overwritten in turn, so that they do not fill the disk. */
    PUT_LARGE,
    /** Large objects. */
    GET_LARGE,
    /** Objects as file systems hold them. */
    POPULATION,
    /** Small objects, overwritten in turn in a bucket that keeps the versions. */
    VERSIONED;

    /** More than this a second are not deleted before the objects are used up. */
    private static final int DELETES_PER_SECOND_MAX = 10_000;

    /** A run of deletes is shorter: what it deletes must be put first. */
    private static final double DELETING_SHARE = 0.25;

    private static final String POPULATION_LARGEST = "16M";
    private static final int LARGE_OBJECTS_MIN = 16;
    private static final int SMALL_PER_LARGE = 200;

    /** As it is called in arguments and results. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether latency at rates below the highest is of interest. */
    boolean isPaced() {
        return this == PUT || this == GET;
    }

    /** What it is in a store that is being cleaned; other mixes are not measured there. */
    boolean isCleaned() {
        return this == PUT || this == GET || this == MIXED;
    }

    /** Arguments of the driver. */
    List<String> arguments(Load load) {
        long objects = load.objects();
        return switch (this) {
            case PUT -> of(load, "put", load.size(), 0, load.seconds());
            case GET -> of(load, "get", load.size(), objects, load.seconds());
            case MIXED -> of(load, "mixed", load.size(), objects, load.seconds());
            case DELETE -> deleting(load);
            case LIST -> of(load, "list", "1K", objects, load.seconds());
            case PUT_LARGE -> of(load, "put", load.largeSize(), large(load), load.seconds());
            case GET_LARGE -> of(load, "get", load.largeSize(), large(load), load.seconds());
            case POPULATION -> of(load, "population", POPULATION_LARGEST, 0, load.seconds());
            case VERSIONED -> {
                List<String> all = of(load, "put", load.size(), objects, load.seconds());
                all.addAll(List.of("--versioning", "enabled"));
                yield all;
            }
        };
    }

    /**
     * Arguments of the driver in a store that is being cleaned.
     *
     * @param objects that are there, any of which is put or got
     * @param backgroundPuts a second beside what is measured, if that does not write itself
     */
    List<String> cleanedArguments(Load load, long objects, double backgroundPuts) {
        String operation = this == GET ? "get" : "mixed";
        List<String> all = of(load, operation, load.size(), objects, load.seconds());
        if (this == PUT) {
            all.addAll(List.of("--get-percent", "0"));
        } else if (this == GET) {
            all.addAll(List.of("--background-puts", SuiteOptions.figure(backgroundPuts)));
        }
        // What comes later counts: all mixes share the objects.
        all.addAll(List.of("--bucket", "suite-cleaned"));
        return all;
    }

    private List<String> deleting(Load load) {
        double seconds = load.seconds() * DELETING_SHARE;
        double warmUp = Math.min(load.warmUp(), seconds) * DELETING_SHARE;
        long objects = (long) Math.ceil(DELETES_PER_SECOND_MAX * (warmUp + seconds));
        List<String> all = of(load, "delete", load.size(), objects, seconds);
        all.addAll(List.of("--warm-up", SuiteOptions.figure(warmUp)));
        return all;
    }

    private static long large(Load load) {
        return Math.max(LARGE_OBJECTS_MIN, load.objects() / SMALL_PER_LARGE);
    }

    private List<String> of(Load load, String op, String size, long objects, double seconds) {
        List<String> all = new ArrayList<>();
        all.addAll(List.of("--op", op, "--size", size, "--objects", Long.toString(objects)));
        all.addAll(List.of("--connections", Integer.toString(load.connections())));
        all.addAll(List.of("--duration", SuiteOptions.figure(seconds)));
        all.addAll(List.of("--warm-up", SuiteOptions.figure(load.warmUp())));
        all.addAll(List.of("--bucket", "suite-" + title()));
        return all;
    }
}
