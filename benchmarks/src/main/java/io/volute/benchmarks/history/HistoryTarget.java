package io.volute.benchmarks.history;

import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.nio.file.Path;

/** The layers between the clients and the store. */
enum HistoryTarget {
    /** Nothing: the interface of the object store, in this process. */
    STORE("object store", "In-process through the interface of the object store, without HTTP."),
    /** A server process of its own for each policy, and S3. */
    SERVER(
            "server",
            "HistoryTarget S3: a server process for each policy, clients on the same processors.");

    private final String title;
    private final String description;

    HistoryTarget(String title, String description) {
        this.title = title;
        this.description = description;
    }

    /** In lines of results. */
    String title() {
        return title;
    }

    /** For a reader. */
    String description() {
        return description;
    }

    /** Apart, so that one does not replace the other. */
    String page() {
        return this == STORE ? "history.md" : "history-server.md";
    }

    HistoryStore open(HistoryPolicy policy, Path directory)
            throws IOException, InterruptedException {
        return switch (this) {
            case STORE -> new PolicyStore(policy, directory);
            case SERVER -> ServedStore.of(policy, directory);
        };
    }

    /** Every overwritten state stays, as a version of S3's, and nobody asks what came of what. */
    HistoryStore plainVersioning(Path directory) throws IOException, InterruptedException {
        return switch (this) {
            case STORE -> PolicyStore.plainVersioning(directory);
            case SERVER -> ServedStore.plainVersioning(directory);
        };
    }
}
