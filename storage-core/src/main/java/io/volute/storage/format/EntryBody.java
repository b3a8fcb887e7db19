package io.volute.storage.format;

import io.volute.storage.Place;
import io.volute.storage.Transaction;
import java.nio.ByteBuffer;

/** The byte encoding of an entry's body, which follows header and sequence. */
final class EntryBody {
    static final byte RECORD_PUT = 1;
    static final byte TOMBSTONE = 2;
    static final byte INLINE_BLOB = 3;
    static final byte STREAM_BLOB = 4;
    static final byte COMPOSED_BLOB = 5;
    static final byte DIGEST = 6;
    static final byte ORIGINS = 7;
    static final byte KEPT_TOMBSTONE = 8;

    private EntryBody() {}

    /** Returns the length of the body without the sequence. */
    static long bytes(LogEntry entry) {
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
            case LogEntry.KeptTombstone kept ->
                    Varint.bytes(kept.family()) + sized(kept.key()) + victimBytes(kept.victim());
            case LogEntry.Origins origins -> originsBytes(origins);
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

    private static long originsBytes(LogEntry.Origins origins) {
        long bytes = Varint.bytes(origins.segmentIds().size());
        for (long segmentId : origins.segmentIds()) {
            bytes += Varint.bytes(segmentId);
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

    /** Writes the body at the target's position; returns the type. */
    static byte encode(LogEntry entry, ByteBuffer target) {
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
            case LogEntry.KeptTombstone kept -> {
                Varint.put(target, kept.family());
                putSized(target, kept.key());
                putVictim(target, kept.victim());
                yield KEPT_TOMBSTONE;
            }
            case LogEntry.Origins origins -> {
                Varint.put(target, origins.segmentIds().size());
                origins.segmentIds().forEach(id -> Varint.put(target, id));
                yield ORIGINS;
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
}
