package io.volute.benchmarks;

import java.util.stream.DoubleStream;

/** The spread of repeated measurements of one figure. */
public record Spread(double median, double min, double max) {

    /** Returns the spread of one or more figures; of an even number, the mean of the middle two. */
    public static Spread of(DoubleStream figures) {
        double[] sorted = figures.sorted().toArray();
        int last = sorted.length - 1;
        return new Spread((sorted[last / 2] + sorted[(last + 1) / 2]) / 2, sorted[0], sorted[last]);
    }
}
