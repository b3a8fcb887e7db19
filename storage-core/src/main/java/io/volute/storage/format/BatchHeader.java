package io.volute.storage.format;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The header before the entries of one group commit. It has a checksum of its own: a header that
 * fits proves that everything before it in the log was durable, even when its entries were torn.
 *
 * @param bodyChecksum checksum over the entries
 * @param bytes length with this header, without the padding behind
 * @param spacing unit at which the next batch begins
 * @param idHighWater greatest id given out before the batch was made
 * @param commitMillis milliseconds since 1970, UTC; for people, nothing depends on it
 */
public record BatchHeader(
        int bodyChecksum,
        int bytes,
        int entries,
        Spacing spacing,
        long firstSequence,
        long idHighWater,
        long commitMillis) {
    public static final int BYTES = 48;

    /** The padding of a batch. The ordinal is stored in the flags. */
    public enum Spacing {
        /** Padding to the next page, as version 1 wrote it. */
        PAGE,
        SECTOR
    }

    private static final int MAGIC = 0x48435442; // "BTCH"
    private static final int CHECKSUM_AT = 4;
    private static final int BODY_CHECKSUM_AT = 8;
    private static final int LENGTH_AT = 12;
    private static final int ENTRIES_AT = 16;
    private static final int FLAGS_AT = 20;
    private static final int SEQUENCE_AT = 24;
    private static final int ID_AT = 32;
    private static final int TIME_AT = 40;

    /** Returns the bytes of a batch in today's version, with header and padding. */
    public static long batchBytes(long entryBytes) {
        return SegmentFormat.sectorUp(BYTES + entryBytes);
    }

    /** Returns the length with the padding; the next batch begins behind it. */
    public long paddedBytes() {
        return switch (spacing) {
            case PAGE -> SegmentFormat.pageUp(bytes);
            case SECTOR -> SegmentFormat.sectorUp(bytes);
        };
    }

    /** Writes this header at the index. */
    public void encode(
            ByteBuffer target, int index, PlaceChecksum checksum, long segmentId, long offset) {
        LittleEndian.putInt(target, index, MAGIC);
        LittleEndian.putInt(target, index + BODY_CHECKSUM_AT, bodyChecksum);
        LittleEndian.putInt(target, index + LENGTH_AT, bytes);
        LittleEndian.putInt(target, index + ENTRIES_AT, entries);
        LittleEndian.putInt(target, index + FLAGS_AT, spacing.ordinal());
        LittleEndian.putLong(target, index + SEQUENCE_AT, firstSequence);
        LittleEndian.putLong(target, index + ID_AT, idHighWater);
        LittleEndian.putLong(target, index + TIME_AT, commitMillis);
        LittleEndian.putInt(
                target,
                index + CHECKSUM_AT,
                headerChecksum(target, index, checksum.begin(segmentId, offset)));
    }

    private static int headerChecksum(ByteBuffer buffer, int index, PlaceChecksum checksum) {
        return checksum.update(buffer, index + BODY_CHECKSUM_AT, BYTES - BODY_CHECKSUM_AT).value();
    }

    /**
     * Reads the header at the index; returns empty when the bytes there were not written as a
     * header of this place.
     */
    public static Optional<BatchHeader> decode(
            ByteBuffer source, int index, PlaceChecksum checksum, long segmentId, long offset) {
        if (LittleEndian.getInt(source, index) != MAGIC) {
            return Optional.empty();
        }
        int sum = headerChecksum(source, index, checksum.begin(segmentId, offset));
        int bytes = LittleEndian.getInt(source, index + LENGTH_AT);
        int flags = LittleEndian.getInt(source, index + FLAGS_AT);
        if (sum != LittleEndian.getInt(source, index + CHECKSUM_AT)
                || bytes < BYTES
                || Integer.compareUnsigned(flags, Spacing.values().length) >= 0) {
            return Optional.empty();
        }
        return Optional.of(
                new BatchHeader(
                        LittleEndian.getInt(source, index + BODY_CHECKSUM_AT),
                        bytes,
                        LittleEndian.getInt(source, index + ENTRIES_AT),
                        Spacing.values()[flags],
                        LittleEndian.getLong(source, index + SEQUENCE_AT),
                        LittleEndian.getLong(source, index + ID_AT),
                        LittleEndian.getLong(source, index + TIME_AT)));
    }
}
