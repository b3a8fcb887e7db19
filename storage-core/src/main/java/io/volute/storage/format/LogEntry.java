package io.volute.storage.format;

import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.report.SpaceReport;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * An entry of a head or survivor segment. Every entry identifies itself, so that a scan of the
 * segments alone can rebuild the index. On conflict between two entries for the same record key the
 * higher sequence wins, in whatever order they are found.
 */
public sealed interface LogEntry {

    /** The entry that was replaced or removed, and the segment that still holds it. */
    record Victim(long sequence, long segmentId) {
        /** The victim of an entry that replaces nothing. */
        public static final Victim NONE = new Victim(0, 0);
    }

    /** An entry that makes a blob. */
    sealed interface BlobEntry extends LogEntry {
        long blobId();
    }

    /** An entry that only keeps a record dead. */
    sealed interface TombstoneEntry extends LogEntry {
        int family();

        byte[] key();

        Victim victim();
    }

    /**
     * A record. It embeds the tombstone of the record that it replaces: the space of this entry may
     * be freed only after the victim's segment has left the log, or after the tombstone was written
     * again.
     */
    record RecordPut(
            long sequence,
            int family,
            byte[] key,
            byte[] summary,
            byte[] detail,
            List<Long> references,
            Victim victim)
            implements LogEntry {}

    /** The removal of a record. It is needed until the victim's segment has left the log. */
    record Tombstone(long sequence, int family, byte[] key, Victim victim)
            implements TombstoneEntry {}

    /** A blob with its content. */
    record InlineBlob(long sequence, long blobId, ByteBuffer content) implements BlobEntry {}

    /**
     * A dead inline blob whose pages were given back to the file system, as a scan of a sealed
     * segment finds it. It is never written, and no checksum verifies its figures any more.
     *
     * @param contentBytes length of the content that the blob had
     */
    record Hole(long sequence, long blobId, long contentBytes) implements LogEntry {}

    /**
     * A blob whose chunks lie in stream segments.
     *
     * @param bytes content length
     * @param chunkBytes content bytes of every chunk but the last
     * @param extents runs of whole chunk entries, in content order
     */
    record StreamBlob(long sequence, long blobId, long bytes, int chunkBytes, List<Place> extents)
            implements BlobEntry {}

    /** A blob that is the concatenation of others. */
    record ComposedBlob(long sequence, long blobId, List<Transaction.Part> parts)
            implements BlobEntry {}

    /**
     * The log digest: all segments that make up the log. A segment file with an id below {@code
     * nextSegmentId} that is not listed is free. One with that id or a greater one was opened later
     * and belongs to the log.
     */
    record Digest(long sequence, long nextSegmentId, List<DigestSegment> segments)
            implements LogEntry {}

    /**
     * A tombstone that the cleaner keeps for an entry that had to go. That is a dead record that
     * had replaced another, or a copy in a survivor whose original died while it was copied. It
     * kills every copy of the record up to its own sequence, which is the victim's. It is needed
     * until the victim's segment has left the log.
     */
    record KeptTombstone(long sequence, int family, byte[] key, Victim victim)
            implements TombstoneEntry {

        /** Returns the tombstone for the copy of a record with this sequence in this segment. */
        public static KeptTombstone of(int family, byte[] key, Victim victim) {
            return new KeptTombstone(victim.sequence(), family, key, victim);
        }
    }

    /**
     * The first entry of a survivor: the segments whose entries it takes over. The survivor may not
     * leave the log before them. The sequence is 0: the entry belongs to no record.
     */
    record Origins(long sequence, List<Long> segmentIds) implements LogEntry {}

    /** A segment of the log, as listed in a digest. */
    record DigestSegment(long segmentId, SpaceReport.Kind kind, long sealedBytes) {}

    long sequence();
}
