package io.volute.benchmarks.cleaning;

import java.nio.file.Path;

/** What is chosen for every kind of run, and said of it in its results. */
interface RunOptions {
    /** Directory that gets the results. */
    Path output();

    String commit();

    long capacityBytes();

    int segmentBytes();

    /** Of the cleaner. */
    int reserveSegments();

    int threads();

    long seed();
}
