package io.volute.storage.format;

import io.volute.storage.Place;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The hole in a dead inline blob, and its distinction from damage. The front of the entry (header,
 * sequence, blob id) and its first and last page in part are kept, so that the chain of entries in
 * the batch stays whole:
 *
 * <pre>
 *   page            page            page            page
 *   |  ...  [front | content ....... | ............. | content] next entry
 *                   ^ begin                          ^ end
 * </pre>
 */
public final class InlineHole {
    /** Greatest length of header, sequence and blob id. */
    public static final int FRONT_BYTES_MAX = EntryCodec.HEADER_BYTES + 2 * Varint.BYTES_MAX;

    private static final int PAGE = SegmentFormat.PAGE_BYTES;

    private InlineHole() {}

    /**
     * Returns the offset of the first whole page that the entry of an inline blob does not need
     * once it is dead.
     */
    public static long begin(Place entry) {
        return SegmentFormat.pageUp(entry.offset() + FRONT_BYTES_MAX);
    }

    /** Returns the offset behind the last such page; it may lie before {@link #begin}. */
    public static long end(Place entry) {
        return (entry.offset() + entry.bytes()) & -PAGE;
    }

    /** Returns the bytes of the hole; 0 when the entry covers no whole page. */
    public static long bytes(Place entry) {
        return Math.max(0, end(entry) - begin(entry));
    }

    /**
     * Returns the bytes of the hole; 0 also when it is too small to be punched.
     *
     * @param bytesMin smallest hole that is punched
     */
    public static long bytes(Place entry, int bytesMin) {
        long bytes = bytes(entry);
        return bytes < bytesMin ? 0 : bytes;
    }

    /**
     * The front of an entry, as read without any checksum.
     *
     * @param bytes length of the entry
     * @param blobId id of an inline blob; empty for other entries
     */
    public record Front(int bytes, OptionalLong blobId) {}

    /**
     * Reads the front of the entry at the index.
     *
     * @param available bytes from the index on that may be read
     * @throws FormatException when no entry begins there
     */
    public static Front front(ByteBuffer source, int index, int available) throws FormatException {
        if (available < EntryCodec.HEADER_BYTES || source.get(index) != EntryCodec.MAGIC) {
            throw new FormatException("no entry here");
        }
        int body = LittleEndian.getInt(source, index + EntryCodec.LENGTH_AT);
        if (body < 1 || body > Integer.MAX_VALUE - EntryCodec.HEADER_BYTES) {
            throw new FormatException("entry body of " + body + " bytes");
        }
        int bytes = EntryCodec.HEADER_BYTES + body;
        if (!isInlineBlob(source, index)) {
            return new Front(bytes, OptionalLong.empty());
        }
        ByteBuffer numbers = source.duplicate();
        numbers.limit(index + Math.min(available, bytes)).position(index + EntryCodec.HEADER_BYTES);
        long sequence = Varint.get(numbers);
        long blobId = Varint.get(numbers);
        return new Front(bytes, sequence < 0 ? OptionalLong.empty() : OptionalLong.of(blobId));
    }

    private static boolean isInlineBlob(ByteBuffer source, int index) {
        return source.get(index + EntryCodec.TYPE_AT) == EntryBody.INLINE_BLOB
                && source.getShort(index + EntryCodec.FLAGS_AT) == 0;
    }

    /**
     * Reads the entry that fills the buffer from position to limit, and whose checksum differs, as
     * a hole. It is an inline blob, and at least one of its inner pages is all zeros. One is
     * enough, because a crash may have left the hole in part.
     *
     * @param place place of the entry
     */
    static Optional<LogEntry.Hole> decode(ByteBuffer source, Place place) throws FormatException {
        int index = source.position();
        if (!isInlineBlob(source, index) || !hasZeroPage(source, index, place)) {
            return Optional.empty();
        }
        ByteBuffer numbers = source.duplicate();
        numbers.position(index + EntryCodec.HEADER_BYTES);
        long sequence = Varint.get(numbers);
        return Optional.of(new LogEntry.Hole(sequence, Varint.get(numbers), numbers.remaining()));
    }

    private static boolean hasZeroPage(ByteBuffer source, int index, Place place) {
        for (long page = begin(place); page < end(place); page += PAGE) {
            if (isZero(source, index + (int) (page - place.offset()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isZero(ByteBuffer source, int index) {
        for (int i = 0; i < PAGE; i += Long.BYTES) {
            if (source.getLong(index + i) != 0) {
                return false;
            }
        }
        return true;
    }
}
