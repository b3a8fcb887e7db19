package io.volute.storage;

import java.time.Instant;

/**
 * Sequence numbers tell the time: a commit's are at least the milliseconds since 1970 when it was
 * ordered, times 4096, and grow from commit to commit even where the clock does not. So the order
 * of commits and the question what was committed at some instant have one answer, which needs no
 * table.
 *
 * <p>A commit's records all belong to one millisecond, as long as there are no more than 4096.
 */
public final class CommitTime {
    private static final int TICK_BITS = 12;
    private static final long TICK_MASK = (1L << TICK_BITS) - 1;

    private CommitTime() {}

    /** The greatest sequence of whatever was committed in that millisecond or before. */
    public static long lastAt(Instant instant) {
        return (instant.toEpochMilli() << TICK_BITS) | TICK_MASK;
    }

    /** When a record with this sequence was committed, to the millisecond. */
    public static Instant of(long sequence) {
        return Instant.ofEpochMilli(sequence >>> TICK_BITS);
    }

    /**
     * Where a commit's sequences begin.
     *
     * @param free the least that is free
     * @param records that the commit numbers one after the other
     */
    public static long next(long free, Instant now, int records) {
        long first = Math.max(free, now.toEpochMilli() << TICK_BITS);
        boolean fits = (first & TICK_MASK) + records <= TICK_MASK + 1;
        return fits || records > TICK_MASK ? first : (first | TICK_MASK) + 1;
    }
}
