package io.volute.benchmarks.load;

import org.HdrHistogram.Histogram;

/** Counts of one connection, or their sums over the connections of a run. Not thread-safe. */
final class Counts {
    static final long LONGEST_LATENCY_NANOS = 120_000_000_000L;

    final Histogram latency = new Histogram(LONGEST_LATENCY_NANOS, 3);

    /** Requests answered without error in the measured time. */
    long operations;

    long bytes;
    long objects;
    long errors;

    /** Empty without errors. */
    String firstError = "";

    void failed(String message) {
        errors++;
        noteError(message);
    }

    void add(Counts more) {
        latency.add(more.latency);
        operations += more.operations;
        bytes += more.bytes;
        objects += more.objects;
        addErrors(more);
    }

    void addErrors(Counts more) {
        errors += more.errors;
        noteError(more.firstError);
    }

    private void noteError(String error) {
        if (firstError.isEmpty()) {
            firstError = error;
        }
    }
}
