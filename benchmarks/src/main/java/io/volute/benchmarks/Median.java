package io.volute.benchmarks;

import java.util.stream.DoubleStream;

/** The median of a few figures. */
public final class Median {
    private Median() {}

    /** Returns the median of one or more figures; of an even number, the mean of the middle two. */
    public static double of(DoubleStream figures) {
        double[] sorted = figures.sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
