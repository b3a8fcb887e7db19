package io.volute.storage.report;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of values in classes whose bounds double. Cheap enough for every commit. Thread-safe.
 */
public final class Distribution {
    private final long first;
    private final LongAdder[] counts;
    private final LongAdder sum = new LongAdder();

    /**
     * Creates an empty histogram.
     *
     * @param first upper bound of the smallest class, inclusive; at least 1
     * @param bounds number of classes with a bound; one more class has all greater values
     */
    public Distribution(long first, int bounds) {
        if (first < 1 || bounds < 1) {
            throw new IllegalArgumentException("no classes: " + bounds + " from " + first);
        }
        this.first = first;
        this.counts = new LongAdder[bounds + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Returns a histogram of bytes, with bounds from 4 KiB to 64 MiB. */
    public static Distribution ofBytes() {
        return new Distribution(4 << 10, 15);
    }

    /** Returns a histogram of nanoseconds, with bounds from 50 microseconds to 26 seconds. */
    public static Distribution ofNanos() {
        return new Distribution(50_000, 20);
    }

    /** Counts a value. A negative value, which only a clock can cause, counts as zero. */
    public void record(long value) {
        long taken = Math.max(0, value);
        int place = taken <= first ? 0 : Long.SIZE - Long.numberOfLeadingZeros((taken - 1) / first);
        counts[Math.min(place, counts.length - 1)].increment();
        sum.add(taken);
    }

    /** Returns the counts so far. */
    public Counts counts() {
        List<Long> bounds = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            values.add(counts[i].sum());
            if (i < counts.length - 1) {
                bounds.add(first << i);
            }
        }
        return new Counts(bounds, values, sum.sum());
    }

    /**
     * The values of a histogram.
     *
     * @param bounds upper bounds of the classes, inclusive, ascending
     * @param values number of values in each class, and in a last class above all bounds
     * @param sum sum of all values
     */
    public record Counts(List<Long> bounds, List<Long> values, long sum) {
        /** The counts of a figure that is not measured. */
        public static final Counts NONE = new Counts(List.of(1L), List.of(0L, 0L), 0);

        public Counts {
            bounds = List.copyOf(bounds);
            values = List.copyOf(values);
        }

        /** Returns the sum with counts of the same bounds, or with no counts. */
        public Counts plus(Counts more) {
            if (total() == 0 || more.total() == 0) {
                return total() == 0 ? more : this;
            }
            if (!bounds.equals(more.bounds)) {
                throw new IllegalArgumentException("counts of different bounds");
            }
            List<Long> sums = new ArrayList<>(values.size());
            for (int i = 0; i < values.size(); i++) {
                sums.add(values.get(i) + more.values.get(i));
            }
            return new Counts(bounds, sums, sum + more.sum);
        }

        /** Returns the number of values. */
        public long total() {
            return values.stream().mapToLong(Long::longValue).sum();
        }
    }
}
