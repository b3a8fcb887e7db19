package io.volute.storage.format;

import io.volute.storage.report.SpaceReport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The first page of a segment file.
 *
 * @param version format version of the bytes behind
 * @param segmentBytes size of the whole file
 * @param createdMillis milliseconds since 1970, UTC; for people, nothing depends on it
 */
public record SegmentHeader(
        int version,
        UUID cubeId,
        long segmentId,
        SpaceReport.Kind kind,
        int segmentBytes,
        long createdMillis) {
    /** The header fills the first page. */
    public static final int BYTES = SegmentFormat.PAGE_BYTES;

    private static final byte[] MAGIC = "VOLUTSEG".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKSUM_AT = 8;
    private static final int VERSION_AT = 12;
    private static final int CUBE_AT = 16;
    private static final int SEGMENT_AT = 32;
    private static final int SIZE_AT = 40;
    private static final int KIND_AT = 44;
    private static final int CREATED_AT = 48;

    /** Writes the page at the buffer's index 0 and sets position 0 and the limit behind it. */
    public void encode(ByteBuffer target) {
        target.clear().limit(BYTES);
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            target.putLong(i, 0);
        }
        byte[] id = new byte[16];
        PlaceChecksum.putId(cubeId, id);
        target.put(0, MAGIC);
        LittleEndian.putInt(target, VERSION_AT, version);
        target.put(CUBE_AT, id);
        LittleEndian.putLong(target, SEGMENT_AT, segmentId);
        LittleEndian.putInt(target, SIZE_AT, segmentBytes);
        target.put(KIND_AT, kindCode(kind));
        LittleEndian.putLong(target, CREATED_AT, createdMillis);
        LittleEndian.putInt(target, CHECKSUM_AT, checksum(target));
    }

    /**
     * Reads a page from the buffer's index 0.
     *
     * @throws FormatException when the page is no header or is damaged
     * @throws UnknownVersionException when the page is whole, but of a later format version
     */
    public static SegmentHeader decode(ByteBuffer page)
            throws FormatException, UnknownVersionException {
        byte[] magic = new byte[MAGIC.length];
        if (page.limit() < BYTES) {
            throw new FormatException("the segment header is cut off after " + page.limit());
        }
        page.get(0, magic);
        if (!java.util.Arrays.equals(magic, MAGIC)) {
            throw new FormatException("no segment header");
        }
        if (LittleEndian.getInt(page, CHECKSUM_AT) != checksum(page)) {
            throw new FormatException("the checksum of the segment header does not fit");
        }
        int version = LittleEndian.getInt(page, VERSION_AT);
        if (version < 1 || version > SegmentFormat.VERSION) {
            throw new UnknownVersionException(version);
        }
        byte[] id = new byte[16];
        page.get(CUBE_AT, id);
        return new SegmentHeader(
                version,
                id(id),
                LittleEndian.getLong(page, SEGMENT_AT),
                kind(page.get(KIND_AT)),
                LittleEndian.getInt(page, SIZE_AT),
                LittleEndian.getLong(page, CREATED_AT));
    }

    private static int checksum(ByteBuffer page) {
        CRC32C checksum = new CRC32C();
        checksum.update(page.slice(0, CHECKSUM_AT));
        checksum.update(page.slice(VERSION_AT, BYTES - VERSION_AT));
        return (int) checksum.getValue();
    }

    private static UUID id(byte[] bytes) {
        ByteBuffer id = ByteBuffer.wrap(bytes);
        return new UUID(id.getLong(), id.getLong());
    }

    static byte kindCode(SpaceReport.Kind kind) {
        return switch (kind) {
            case HEAD -> 1;
            case STREAM -> 2;
            case SURVIVOR -> 3;
        };
    }

    static SpaceReport.Kind kind(byte code) throws FormatException {
        return switch (code) {
            case 1 -> SpaceReport.Kind.HEAD;
            case 2 -> SpaceReport.Kind.STREAM;
            case 3 -> SpaceReport.Kind.SURVIVOR;
            default -> throw new FormatException("unknown segment kind " + code);
        };
    }
}
