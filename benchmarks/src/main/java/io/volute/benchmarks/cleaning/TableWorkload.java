package io.volute.benchmarks.cleaning;

import java.util.SplittableRandom;

/**
 * The workloads of table 1 of "Log-structured Memory for DRAM-based Storage": objects of some sizes
 * are written, a part of them is deleted, then objects of other sizes displace them.
 */
enum TableWorkload {
    W1(100, 100, 0, 0, 0),
    W2(100, 100, 0, 130, 130),
    W3(100, 100, 90, 130, 130),
    W4(100, 150, 0, 200, 250),
    W5(100, 150, 90, 200, 250),
    W6(100, 200, 50, 1000, 2000),
    W7(1000, 2000, 90, 1500, 2500),
    W8(50, 150, 90, 5000, 15000);

    /** Measured bytes of the blob and the record of an object, excluding its content. */
    private static final int OVERHEAD_BYTES = 75;

    /** Sizes of objects, each alike; none when the maximum is 0. */
    record Sizes(int min, int max) {
        int next(SplittableRandom random) {
            return random.nextInt(min, max + 1);
        }

        /** Bytes of entries for a byte of content. */
        double entriesPerContent() {
            double mean = (min + max) / 2.0;
            return (mean + OVERHEAD_BYTES) / mean;
        }
    }

    private final Sizes before;
    private final int deletedPercent;
    private final Sizes after;

    TableWorkload(int min, int max, int deletedPercent, int minAfter, int maxAfter) {
        this.before = new Sizes(min, max);
        this.deletedPercent = deletedPercent;
        this.after = new Sizes(minAfter, maxAfter);
    }

    Sizes before() {
        return before;
    }

    int deletedPercent() {
        return deletedPercent;
    }

    Sizes after() {
        return after;
    }

    boolean isChanging() {
        return after.max() > 0;
    }

    /** Bytes of entries for a byte of content, in the phase where they are most. */
    double entriesPerContent() {
        double first = before.entriesPerContent();
        return isChanging() ? Math.max(first, after.entriesPerContent()) : first;
    }

    int bytesMax() {
        return Math.max(before.max(), after.max());
    }
}
