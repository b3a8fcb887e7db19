package io.volute.storage.format;

import java.nio.ByteBuffer;

/**
 * The header before each chunk of a blob in a stream segment. The content follows.
 *
 * @param chunkIndex 0 for the first chunk of the blob
 * @param bytes content length
 */
public record ChunkHeader(long blobId, int chunkIndex, int bytes) {
    public static final int BYTES = 24;

    private static final int MAGIC = 0x4B4E4843; // "CHNK"
    private static final int CHECKSUM_AT = 4;
    private static final int BLOB_AT = 8;
    private static final int INDEX_AT = 16;
    private static final int LENGTH_AT = 20;

    /** Writes this header at the index. The content stands behind it already. */
    public void encode(
            ByteBuffer target, int index, PlaceChecksum checksum, long segmentId, long offset) {
        LittleEndian.putInt(target, index, MAGIC);
        LittleEndian.putLong(target, index + BLOB_AT, blobId);
        LittleEndian.putInt(target, index + INDEX_AT, chunkIndex);
        LittleEndian.putInt(target, index + LENGTH_AT, bytes);
        checksum.begin(segmentId, offset).update(target, index + BLOB_AT, BYTES - BLOB_AT + bytes);
        LittleEndian.putInt(target, index + CHECKSUM_AT, checksum.value());
    }

    /**
     * Verifies that exactly this chunk stands at the buffer's index 0, with its content.
     *
     * @throws FormatException when something differs; the message names it
     */
    public void verify(ByteBuffer source, PlaceChecksum checksum, long segmentId, long offset)
            throws FormatException {
        if (source.limit() < BYTES + bytes || LittleEndian.getInt(source, 0) != MAGIC) {
            throw new FormatException("no chunk here");
        }
        int length = LittleEndian.getInt(source, LENGTH_AT);
        long blob = LittleEndian.getLong(source, BLOB_AT);
        int chunk = LittleEndian.getInt(source, INDEX_AT);
        if (blob != blobId || chunk != chunkIndex || length != bytes) {
            throw new FormatException(
                    "expected " + this + ", found " + new ChunkHeader(blob, chunk, length));
        }
        checksum.begin(segmentId, offset).update(source, BLOB_AT, BYTES - BLOB_AT + bytes);
        if (checksum.value() != LittleEndian.getInt(source, CHECKSUM_AT)) {
            throw new FormatException(
                    "the checksum of chunk " + chunkIndex + " of blob " + blobId + " differs");
        }
    }
}
