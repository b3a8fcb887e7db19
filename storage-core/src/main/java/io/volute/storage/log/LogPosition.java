package io.volute.storage.log;

/**
 * A point in the stream of head segments: everything before it has been applied.
 *
 * @param offset offset of a batch boundary in that segment
 */
public record LogPosition(long segmentId, long offset) implements Comparable<LogPosition> {
    /** The position before everything. */
    public static final LogPosition START = new LogPosition(0, 0);

    @Override
    public int compareTo(LogPosition other) {
        int bySegment = Long.compare(segmentId, other.segmentId);
        return bySegment != 0 ? bySegment : Long.compare(offset, other.offset);
    }
}
