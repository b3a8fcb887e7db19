package io.volute.benchmarks.cleaning;

import java.util.SplittableRandom;

/** Chooses among numbered objects. Used by one thread. */
final class KeyChoice {
    /** The distribution of choices over the objects. */
    enum Distribution {
        /** All objects with equal probability. */
        UNIFORM,
        /** Skewed by a power of the rank: 90% of choices hit 15% of objects. */
        ZIPFIAN
    }

    private static final double HOT_OBJECTS = 0.15;
    private static final double HOT_CHOICES = 0.9;

    /** A prime beyond any number of objects: multiplying by it scatters ranks without collision. */
    private static final long SCATTER = 2_147_483_647L;

    private final SplittableRandom random;
    private final Distribution distribution;
    private final int objects;
    private final double exponent;

    KeyChoice(SplittableRandom random, Distribution distribution, int objects) {
        this.random = random;
        this.distribution = distribution;
        this.objects = objects;
        this.exponent = distribution == Distribution.UNIFORM ? 0 : exponent(objects);
    }

    int next() {
        if (distribution == Distribution.UNIFORM) {
            return random.nextInt(objects);
        }
        double span = Math.pow(objects + 1.0, 1 - exponent) - 1;
        double rank = Math.pow(1 + random.nextDouble() * span, 1 / (1 - exponent));
        long index = Math.min(objects - 1, (long) rank - 1);
        return (int) (index * SCATTER % objects);
    }

    /** The share of choices that meet the lowest ranks; grows with the exponent. */
    private static double hotShare(double exponent, int objects) {
        double hot = Math.pow(objects * HOT_OBJECTS + 1, 1 - exponent) - 1;
        return hot / (Math.pow(objects + 1.0, 1 - exponent) - 1);
    }

    private static double exponent(int objects) {
        double low = 0.01;
        double high = 1.99;
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            // The formula has no value at 1.
            double tried = Math.abs(middle - 1) < 1e-9 ? 1 + 1e-9 : middle;
            if (hotShare(tried, objects) < HOT_CHOICES) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.abs(low - 1) < 1e-9 ? 1 + 1e-9 : low;
    }
}
