package io.volute.benchmarks.load;

import io.volute.benchmarks.http.AsciiBuffer;
import java.util.SplittableRandom;

/**
 * Objects as file systems hold them, each computed from its number and the seed: how long it is,
 * under which name it lies, how long it lives.
 *
 * <p>Sizes are log-normal with a Pareto tail, depths of names Poisson: the models and parameters of
 * Generating Realistic Impressions for File-System Benchmarking (FAST '09), table 2, with a tail
 * that begins within the longest body instead of at 512 MB. Lifetimes are a mix of two exponential
 * ones: most objects die young, the rest stays.
 *
 * @param bytesMax upper limit of a size; larger sizes are reduced to it
 */
record Population(long seed, int bytesMax) {
    /** Mean of the natural logarithm of the size in bytes. */
    static final double LOG_MEAN = 9.48;

    static final double LOG_DEVIATION = 2.46;

    /** Share of the objects that are of the tail, its shape, and its least size over the most. */
    static final double TAIL_SHARE = 0.002;

    static final double TAIL_SHAPE = 0.91;
    static final double TAIL_BEGIN = 1.0 / 16;

    /** Directories above an object. */
    static final double DEPTH_MEAN = 6.49;

    private static final int DEPTH_MAX = 24;

    /** Lifetimes, in objects that are made meanwhile. */
    static final double YOUNG_SHARE = 0.6;

    static final double YOUNG_MEAN = 1_000;
    static final double OLD_MEAN = 1_000_000;

    private static final int DIRECTORIES = 12;

    private enum Aspect {
        SIZE,
        NAME,
        LIFE
    }

    private SplittableRandom random(Aspect aspect, long number) {
        return new SplittableRandom(
                seed ^ (number * Aspect.values().length + aspect.ordinal()) * 0x9E3779B97F4A7C15L);
    }

    /** Bytes of an object; two digits of it count, so that few different bodies are needed. */
    int bytes(long number) {
        SplittableRandom random = random(Aspect.SIZE, number);
        double size =
                random.nextDouble() < TAIL_SHARE
                        ? bytesMax * TAIL_BEGIN / Math.pow(1 - random.nextDouble(), 1 / TAIL_SHAPE)
                        : Math.exp(LOG_MEAN + LOG_DEVIATION * random.nextGaussian());
        return rounded((int) Math.min(size, bytesMax));
    }

    private int rounded(int bytes) {
        int unit = 1;
        while (bytes / unit >= 100) {
            unit *= 10;
        }
        return Math.min(bytesMax, Math.toIntExact(((long) bytes + unit / 2) / unit * unit));
    }

    /** Directories above an object. */
    int depth(long number) {
        return depth(random(Aspect.NAME, number));
    }

    private static int depth(SplittableRandom random) {
        int depth = 0;
        double left = Math.exp(-DEPTH_MEAN);
        double product = random.nextDouble();
        while (product > left && depth < DEPTH_MAX) {
            product *= random.nextDouble();
            depth++;
        }
        return depth;
    }

    /** Appends the key. Low directory numbers of each level hold most of the objects below. */
    void appendKey(AsciiBuffer target, String run, long number) {
        SplittableRandom random = random(Aspect.NAME, number);
        target.put(run).put("/");
        int depth = depth(random);
        for (int level = 0; level < depth; level++) {
            double skewed = random.nextDouble() * random.nextDouble() * random.nextDouble();
            target.put("d").putNumber((long) (skewed * DIRECTORIES), 2).put("/");
        }
        target.put("file-").putNumber(number, 9);
    }

    /** Returns the number of objects that are created before this one is deleted. */
    long lifetime(long number) {
        SplittableRandom random = random(Aspect.LIFE, number);
        double mean = random.nextDouble() < YOUNG_SHARE ? YOUNG_MEAN : OLD_MEAN;
        return 1 + (long) (-mean * Math.log(1 - random.nextDouble()));
    }
}
