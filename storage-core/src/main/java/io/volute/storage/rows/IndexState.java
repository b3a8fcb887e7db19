package io.volute.storage.rows;

import io.volute.storage.log.LogPosition;

/**
 * The progress of the index, written with every batch of changes.
 *
 * @param position position before which everything has been applied
 * @param nextSequence a sequence greater than every applied one
 * @param idHighWater greatest id that the log records as given out
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
