package io.volute.storage.format;

import io.volute.storage.BlobId;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The byte encoding of entries. Each entry has its own header and checksum, so that it can be read
 * alone. Each identifies itself, so that a scan can rebuild the index.
 */
public final class EntryCodec {
    public static final int HEADER_BYTES = 12;

    static final byte MAGIC = (byte) 0xE7;
    static final int TYPE_AT = 1;
    static final int FLAGS_AT = 2;
    static final int LENGTH_AT = 4;
    private static final int CHECKSUM_AT = 8;

    private EntryCodec() {}

    /** Returns the length with the header. */
    public static int encodedBytes(LogEntry entry) {
        return Math.toIntExact(
                HEADER_BYTES + Varint.bytes(entry.sequence()) + EntryBody.bytes(entry));
    }

    /**
     * Writes an entry at the buffer's position and moves the position behind it.
     *
     * @param offset that the entry will have in the segment file
     */
    public static void encode(
            LogEntry entry,
            ByteBuffer target,
            PlaceChecksum checksum,
            long segmentId,
            long offset) {
        int begin = target.position();
        target.position(begin + HEADER_BYTES);
        Varint.put(target, entry.sequence());
        byte type = EntryBody.encode(entry, target);
        int end = target.position();
        target.put(begin, MAGIC);
        target.put(begin + TYPE_AT, type);
        target.putShort(begin + FLAGS_AT, (short) 0);
        LittleEndian.putInt(target, begin + LENGTH_AT, end - begin - HEADER_BYTES);
        LittleEndian.putInt(
                target,
                begin + CHECKSUM_AT,
                checksum(target, begin, end - begin, checksum.begin(segmentId, offset)));
    }

    /**
     * Gives a verified entry a new place without reading its bytes again. Its checksum is carried
     * over, so that a change of the bytes on the way is still detected.
     *
     * @param source the entry from position to limit, as it was at its old place
     * @return the decoded entry; an inline blob's content is a slice of the source
     */
    public static LogEntry move(
            ByteBuffer source, PlaceChecksum checksum, Place from, long toSegment, long toOffset)
            throws FormatException {
        int begin = source.position();
        int sum = LittleEndian.getInt(source, begin + CHECKSUM_AT);
        LogEntry entry = decode(source, checksum, from.segmentId(), from.offset());
        int covered = (int) from.bytes() - Integer.BYTES;
        int before = checksum.begin(from.segmentId(), from.offset()).value();
        int after = checksum.begin(toSegment, toOffset).value();
        int moved = sum ^ ChecksumShift.over(covered, before ^ after);
        LittleEndian.putInt(source, begin + CHECKSUM_AT, moved);
        return entry;
    }

    private static int checksum(ByteBuffer buffer, int begin, int bytes, PlaceChecksum checksum) {
        return checksum.update(buffer, begin, CHECKSUM_AT)
                .update(buffer, begin + HEADER_BYTES, bytes - HEADER_BYTES)
                .value();
    }

    /**
     * Reads the entry that fills the buffer from position to limit, and verifies its checksum.
     *
     * @return an entry; an inline blob's content is a slice of the source
     */
    public static LogEntry decode(
            ByteBuffer source, PlaceChecksum checksum, long segmentId, long offset)
            throws FormatException {
        int begin = source.position();
        int bytes = source.remaining();
        if (entryBytes(source, begin) != bytes) {
            throw new FormatException("no entry of " + bytes + " bytes here");
        }
        int sum = checksum(source, begin, bytes, checksum.begin(segmentId, offset));
        if (sum != LittleEndian.getInt(source, begin + CHECKSUM_AT)) {
            throw new FormatException("the checksum of the entry differs");
        }
        return decodeVerified(source);
    }

    /**
     * Returns the length of the entry at the index, header included.
     *
     * @throws FormatException when there is no entry header, or the entry does not fit in the limit
     */
    static int entryBytes(ByteBuffer source, int index) throws FormatException {
        int left = source.limit() - index;
        if (left < HEADER_BYTES || source.get(index) != MAGIC) {
            throw new FormatException("no entry here");
        }
        int body = LittleEndian.getInt(source, index + LENGTH_AT);
        if (body < 1 || body > left - HEADER_BYTES) {
            throw new FormatException("entry body of " + body + " bytes in " + left);
        }
        return HEADER_BYTES + body;
    }

    /** Returns whether a byte may be the first one of an entry. */
    public static boolean mayBegin(byte first) {
        return first == MAGIC;
    }

    /**
     * Returns the length in the header at the index, header included; 0 when it is no header of an
     * entry. The header may be damaged.
     */
    public static int bytesAt(ByteBuffer source, int index) {
        int body = LittleEndian.getInt(source, index + LENGTH_AT);
        boolean isHeader =
                mayBegin(source.get(index))
                        && source.getShort(index + FLAGS_AT) == 0
                        && body > 0
                        && body <= Integer.MAX_VALUE - HEADER_BYTES;
        return isHeader ? HEADER_BYTES + body : 0;
    }

    /** Reads an entry like {@link #decode}, from bytes that a batch's checksum has verified. */
    static LogEntry decodeVerified(ByteBuffer source) throws FormatException {
        byte type = source.get(source.position() + TYPE_AT);
        short flags = source.getShort(source.position() + FLAGS_AT);
        if (flags != 0) {
            throw new FormatException(
                    "unknown entry flags " + flags + ": a later release wrote it");
        }
        source.position(source.position() + HEADER_BYTES);
        long sequence = Varint.get(source);
        LogEntry entry =
                switch (type) {
                    case EntryBody.RECORD_PUT -> record(sequence, source);
                    case EntryBody.TOMBSTONE ->
                            new LogEntry.Tombstone(
                                    sequence, getInt(source), getSized(source), getVictim(source));
                    case EntryBody.INLINE_BLOB -> inline(sequence, source);
                    case EntryBody.STREAM_BLOB -> stream(sequence, source);
                    case EntryBody.COMPOSED_BLOB -> composed(sequence, source);
                    case EntryBody.DIGEST -> digest(sequence, source);
                    case EntryBody.KEPT_TOMBSTONE ->
                            new LogEntry.KeptTombstone(
                                    sequence, getInt(source), getSized(source), getVictim(source));
                    case EntryBody.ORIGINS -> origins(sequence, source);
                    default ->
                            throw new FormatException(
                                    "unknown entry type " + type + ": a later release wrote it");
                };
        if (source.hasRemaining()) {
            throw new FormatException(source.remaining() + " bytes too many in an entry");
        }
        return entry;
    }

    private static LogEntry record(long sequence, ByteBuffer source) throws FormatException {
        int family = getInt(source);
        byte[] key = getSized(source);
        byte[] summary = getSized(source);
        int count = Varint.getCount(source);
        List<Long> references = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            references.add(Varint.get(source));
        }
        LogEntry.Victim victim = getVictim(source);
        byte[] detail = getSized(source);
        return new LogEntry.RecordPut(sequence, family, key, summary, detail, references, victim);
    }

    private static LogEntry inline(long sequence, ByteBuffer source) throws FormatException {
        long blobId = Varint.get(source);
        ByteBuffer content = source.slice();
        source.position(source.limit());
        return new LogEntry.InlineBlob(sequence, blobId, content);
    }

    private static LogEntry stream(long sequence, ByteBuffer source) throws FormatException {
        long blobId = Varint.get(source);
        long bytes = Varint.get(source);
        int chunkBytes = getInt(source);
        int count = Varint.getCount(source);
        List<Place> extents = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long segmentId = Varint.get(source);
            long offset = Varint.get(source);
            long length = Varint.get(source);
            if (segmentId <= 0 || offset < 0 || length <= 0) {
                throw new FormatException("impossible extent in segment " + segmentId);
            }
            extents.add(new Place(segmentId, offset, length));
        }
        return new LogEntry.StreamBlob(sequence, blobId, bytes, chunkBytes, extents);
    }

    private static LogEntry composed(long sequence, ByteBuffer source) throws FormatException {
        long blobId = Varint.get(source);
        int count = Varint.getCount(source);
        List<Transaction.Part> parts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long part = Varint.get(source);
            if (part <= 0) {
                throw new FormatException("impossible blob id " + part);
            }
            long bytes = Varint.get(source);
            parts.add(new Transaction.Part(new BlobId(part), bytes, getSized(source)));
        }
        return new LogEntry.ComposedBlob(sequence, blobId, parts);
    }

    private static LogEntry digest(long sequence, ByteBuffer source) throws FormatException {
        long nextSegmentId = Varint.get(source);
        int count = Varint.getCount(source);
        List<LogEntry.DigestSegment> segments = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long segmentId = Varint.get(source);
            if (!source.hasRemaining()) {
                throw new FormatException("a digest is cut off");
            }
            segments.add(
                    new LogEntry.DigestSegment(
                            segmentId, SegmentHeader.kind(source.get()), Varint.get(source) - 1));
        }
        return new LogEntry.Digest(sequence, nextSegmentId, segments);
    }

    private static LogEntry origins(long sequence, ByteBuffer source) throws FormatException {
        int count = Varint.getCount(source);
        List<Long> segmentIds = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            segmentIds.add(Varint.get(source));
        }
        return new LogEntry.Origins(sequence, List.copyOf(segmentIds));
    }

    private static int getInt(ByteBuffer source) throws FormatException {
        long value = Varint.get(source);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new FormatException("number out of range: " + value);
        }
        return (int) value;
    }

    private static byte[] getSized(ByteBuffer source) throws FormatException {
        byte[] bytes = new byte[Varint.getCount(source)];
        source.get(bytes);
        return bytes;
    }

    private static LogEntry.Victim getVictim(ByteBuffer source) throws FormatException {
        return new LogEntry.Victim(Varint.get(source), Varint.get(source));
    }
}
