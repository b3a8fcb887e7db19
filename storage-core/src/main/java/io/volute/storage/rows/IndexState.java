package io.volute.storage.rows;

import io.volute.storage.log.LogPosition;

/**
 * How far the index has come; written with every batch of changes.
 *
 * @param position everything before it has been applied
 * @param nextSequence greater than every sequence applied
 * @param idHighWater greatest id that the log knows to be given out
 */
public record IndexState(LogPosition position, long nextSequence, long idHighWater) {
    static final IndexState EMPTY = new IndexState(LogPosition.START, 1, 0);

    public IndexState at(LogPosition end) {
        return new IndexState(end, nextSequence, idHighWater);
    }

    public byte[] encode() {
        return new RowWriter(32)
                .number(position.segmentId())
                .number(position.offset())
                .number(nextSequence)
                .number(idHighWater)
                .toBytes();
    }

    public static IndexState decode(byte[] bytes) {
        RowReader row = new RowReader(bytes);
        return new IndexState(
                new LogPosition(row.number(), row.number()), row.number(), row.number());
    }
}
