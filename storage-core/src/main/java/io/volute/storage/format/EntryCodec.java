package io.volute.storage.format;

import io.volute.storage.BlobId;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Entries as bytes. Each has its own header and checksum, so that it can be read alone, and says
 * itself what it is, so that a scan can make the index again.
 */
public final class EntryCodec {
    public static final int HEADER_BYTES = 12;

    static final byte MAGIC = (byte) 0xE7;
    static final int TYPE_AT = 1;
    static final int FLAGS_AT = 2;
    static final int LENGTH_AT = 4;
    private static final int CHECKSUM_AT = 8;

    private static final byte RECORD_PUT = 1;
    private static final byte TOMBSTONE = 2;
    static final byte INLINE_BLOB = 3;
    private static final byte STREAM_BLOB = 4;
    private static final byte COMPOSED_BLOB = 5;
    private static final byte DIGEST = 6;

    private EntryCodec() {}

    /** Length with the header. */
    public static int encodedBytes(LogEntry entry) {
        return Math.toIntExact(HEADER_BYTES + Varint.bytes(entry.sequence()) + bodyBytes(entry));
    }

    private static long bodyBytes(LogEntry entry) {
        return switch (entry) {
            case LogEntry.RecordPut put -> recordBytes(put);
            case LogEntry.Tombstone tombstone ->
                    Varint.bytes(tombstone.family())
                            + sized(tombstone.key())
                            + victimBytes(tombstone.victim());
            case LogEntry.InlineBlob blob ->
                    Varint.bytes(blob.blobId()) + blob.content().remaining();
            case LogEntry.Hole hole -> throw neverWritten(hole);
            case LogEntry.StreamBlob blob -> streamBytes(blob);
            case LogEntry.ComposedBlob blob -> composedBytes(blob);
            case LogEntry.Digest digest -> digestBytes(digest);
        };
    }

    private static IllegalArgumentException neverWritten(LogEntry.Hole hole) {
        return new IllegalArgumentException("a hole is found, not written: " + hole);
    }

    private static long sized(byte[] bytes) {
        return Varint.bytes(bytes.length) + (long) bytes.length;
    }

    private static long victimBytes(LogEntry.Victim victim) {
        return Varint.bytes(victim.sequence()) + Varint.bytes(victim.segmentId());
    }

    private static long recordBytes(LogEntry.RecordPut put) {
        long bytes =
                Varint.bytes(put.family())
                        + sized(put.key())
                        + sized(put.summary())
                        + Varint.bytes(put.references().size())
                        + victimBytes(put.victim())
                        + sized(put.detail());
        for (long reference : put.references()) {
            bytes += Varint.bytes(reference);
        }
        return bytes;
    }

    private static long streamBytes(LogEntry.StreamBlob blob) {
        long bytes =
                Varint.bytes(blob.blobId())
                        + Varint.bytes(blob.bytes())
                        + Varint.bytes(blob.chunkBytes())
                        + Varint.bytes(blob.extents().size());
        for (Place extent : blob.extents()) {
            bytes +=
                    Varint.bytes(extent.segmentId())
                            + Varint.bytes(extent.offset())
                            + Varint.bytes(extent.bytes());
        }
        return bytes;
    }

    private static long composedBytes(LogEntry.ComposedBlob blob) {
        long bytes = Varint.bytes(blob.blobId()) + Varint.bytes(blob.parts().size());
        for (Transaction.Part part : blob.parts()) {
            bytes +=
                    Varint.bytes(part.blob().value())
                            + Varint.bytes(part.bytes())
                            + sized(part.attributes());
        }
        return bytes;
    }

    private static long digestBytes(LogEntry.Digest digest) {
        long bytes = Varint.bytes(digest.nextSegmentId()) + Varint.bytes(digest.segments().size());
        for (LogEntry.DigestSegment segment : digest.segments()) {
            bytes +=
                    Varint.bytes(segment.segmentId()) + 1 + Varint.bytes(segment.sealedBytes() + 1);
        }
        return bytes;
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
        byte type = encodeBody(entry, target);
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

    private static int checksum(ByteBuffer buffer, int begin, int bytes, PlaceChecksum checksum) {
        return checksum.update(buffer, begin, CHECKSUM_AT)
                .update(buffer, begin + HEADER_BYTES, bytes - HEADER_BYTES)
                .value();
    }

    private static byte encodeBody(LogEntry entry, ByteBuffer target) {
        return switch (entry) {
            case LogEntry.RecordPut put -> {
                encodeRecord(put, target);
                yield RECORD_PUT;
            }
            case LogEntry.Tombstone tombstone -> {
                Varint.put(target, tombstone.family());
                putSized(target, tombstone.key());
                putVictim(target, tombstone.victim());
                yield TOMBSTONE;
            }
            case LogEntry.InlineBlob blob -> {
                Varint.put(target, blob.blobId());
                ByteBuffer content = blob.content();
                target.put(target.position(), content, content.position(), content.remaining());
                target.position(target.position() + content.remaining());
                yield INLINE_BLOB;
            }
            case LogEntry.Hole hole -> throw neverWritten(hole);
            case LogEntry.StreamBlob blob -> {
                encodeStream(blob, target);
                yield STREAM_BLOB;
            }
            case LogEntry.ComposedBlob blob -> {
                encodeComposed(blob, target);
                yield COMPOSED_BLOB;
            }
            case LogEntry.Digest digest -> {
                encodeDigest(digest, target);
                yield DIGEST;
            }
        };
    }

    private static void encodeRecord(LogEntry.RecordPut put, ByteBuffer target) {
        Varint.put(target, put.family());
        putSized(target, put.key());
        putSized(target, put.summary());
        Varint.put(target, put.references().size());
        for (long reference : put.references()) {
            Varint.put(target, reference);
        }
        putVictim(target, put.victim());
        putSized(target, put.detail());
    }

    private static void encodeStream(LogEntry.StreamBlob blob, ByteBuffer target) {
        Varint.put(target, blob.blobId());
        Varint.put(target, blob.bytes());
        Varint.put(target, blob.chunkBytes());
        Varint.put(target, blob.extents().size());
        for (Place extent : blob.extents()) {
            Varint.put(target, extent.segmentId());
            Varint.put(target, extent.offset());
            Varint.put(target, extent.bytes());
        }
    }

    private static void encodeComposed(LogEntry.ComposedBlob blob, ByteBuffer target) {
        Varint.put(target, blob.blobId());
        Varint.put(target, blob.parts().size());
        for (Transaction.Part part : blob.parts()) {
            Varint.put(target, part.blob().value());
            Varint.put(target, part.bytes());
            putSized(target, part.attributes());
        }
    }

    private static void encodeDigest(LogEntry.Digest digest, ByteBuffer target) {
        Varint.put(target, digest.nextSegmentId());
        Varint.put(target, digest.segments().size());
        for (LogEntry.DigestSegment segment : digest.segments()) {
            Varint.put(target, segment.segmentId());
            target.put(SegmentHeader.kindCode(segment.kind()));
            Varint.put(target, segment.sealedBytes() + 1);
        }
    }

    private static void putSized(ByteBuffer target, byte[] bytes) {
        Varint.put(target, bytes.length);
        target.put(bytes);
    }

    private static void putVictim(ByteBuffer target, LogEntry.Victim victim) {
        Varint.put(target, victim.sequence());
        Varint.put(target, victim.segmentId());
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
     * Length of the entry at the index, header included.
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

    /** As {@link #decode}, of bytes that a batch's checksum has vouched for. */
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
                    case RECORD_PUT -> record(sequence, source);
                    case TOMBSTONE ->
                            new LogEntry.Tombstone(
                                    sequence, getInt(source), getSized(source), getVictim(source));
                    case INLINE_BLOB -> inline(sequence, source);
                    case STREAM_BLOB -> stream(sequence, source);
                    case COMPOSED_BLOB -> composed(sequence, source);
                    case DIGEST -> digest(sequence, source);
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
