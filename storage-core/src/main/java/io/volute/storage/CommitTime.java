package io.volute.storage;

import java.time.Instant;

/**
 * The relation of sequence numbers and time. The sequences of a commit are at least 4096 times the
 * milliseconds since 1970 at which it was ordered. They grow from commit to commit even where the
 * clock does not. So the order of commits, and the commits up to an instant, have one answer that
 * needs no table.
 *
 * <p>All records of a commit belong to one millisecond, as long as there are no more than 4096.
 */
public final class CommitTime {
    private static final int TICK_BITS = 12;
    private static final long TICK_MASK = (1L << TICK_BITS) - 1;

    private CommitTime() {}

    /** Returns the greatest sequence that a commit in that millisecond or before can have. */
    public static long lastAt(Instant instant) {
        return (instant.toEpochMilli() << TICK_BITS) | TICK_MASK;
    }

    /** Returns the instant at which a record with this sequence was committed, in milliseconds. */
    public static Instant of(long sequence) {
        return Instant.ofEpochMilli(sequence >>> TICK_BITS);
    }

    /**
     * Returns the first sequence of a commit.
     *
     * @param free the least sequence that is free
     * @param records number of sequences that the commit takes
     */
    public static long next(long free, Instant now, int records) {
        long first = Math.max(free, now.toEpochMilli() << TICK_BITS);
        boolean fits = (first & TICK_MASK) + records <= TICK_MASK + 1;
        return fits || records > TICK_MASK ? first : (first | TICK_MASK) + 1;
    }
}
