package io.volute.storage.report;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts values by size, in classes whose bounds double. Cheap enough for every commit.
 * Thread-safe.
 */
public final class Distribution {
    private final long first;
    private final LongAdder[] counts;
    private final LongAdder sum = new LongAdder();

    /**
     * @param first bound of the smallest class, inclusive; at least 1
     * @param bounds how many classes have a bound; what is greater is in one more
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

    /** Bytes, from 4 KiB to 64 MiB. */
    public static Distribution ofBytes() {
        return new Distribution(4 << 10, 15);
    }

    /** Nanoseconds, from 50 microseconds to 26 seconds. */
    public static Distribution ofNanos() {
        return new Distribution(50_000, 20);
    }

    /** Counts a value; one below zero, which only a clock can have made, counts as zero. */
    public void record(long value) {
        long taken = Math.max(0, value);
        int place = taken <= first ? 0 : Long.SIZE - Long.numberOfLeadingZeros((taken - 1) / first);
        counts[Math.min(place, counts.length - 1)].increment();
        sum.add(taken);
    }

    /** What was counted so far. */
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
     * Values by size.
     *
     * @param bounds of the classes, inclusive, ascending
     * @param values in each class, and at the end those above the last bound
     * @param sum of all values
     */
    public record Counts(List<Long> bounds, List<Long> values, long sum) {
        /** Of something that is not counted. */
        public static final Counts NONE = new Counts(List.of(1L), List.of(0L, 0L), 0);

        public Counts {
            bounds = List.copyOf(bounds);
            values = List.copyOf(values);
        }

        /** How many values. */
        public long total() {
            return values.stream().mapToLong(Long::longValue).sum();
        }
    }
}
