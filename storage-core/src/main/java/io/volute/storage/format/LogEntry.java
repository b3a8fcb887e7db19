package io.volute.storage.format;

import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.report.SpaceReport;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a head or survivor segment is made of. Every entry identifies itself, so that a scan of the
 * segments alone can make the index again. On conflict between two entries for the same record key
 * the higher sequence wins, in whatever order they are found.
 */
public sealed interface LogEntry {

    /** The entry that was replaced or removed, and the segment that still holds it. */
    record Victim(long sequence, long segmentId) {
        /** Nothing was there. */
        public static final Victim NONE = new Victim(0, 0);
    }

    /** What makes a blob that is there. */
    sealed interface BlobEntry extends LogEntry {
        long blobId();
    }

    /** What does nothing but keep something dead. */
    sealed interface TombstoneEntry extends LogEntry {
        int family();

        byte[] key();

        Victim victim();
    }

    /**
     * A record. Embeds the tombstone of the record it replaces: the space of this entry may be
     * freed only after the victim's segment has left the log, or after the tombstone was written
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

    /** Says that a record is gone; needed until the victim's segment has left the log. */
    record Tombstone(long sequence, int family, byte[] key, Victim victim)
            implements TombstoneEntry {}

    /** A blob with its content. */
    record InlineBlob(long sequence, long blobId, ByteBuffer content) implements BlobEntry {}

    /**
     * What a scan of a sealed segment finds where a dead inline blob was given back to the file
     * system; never written. No checksum vouches for its figures any more.
     *
     * @param contentBytes that the blob had
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
     * nextSegmentId} that is not listed is free; one at or above it was opened later and belongs to
     * the log.
     */
    record Digest(long sequence, long nextSegmentId, List<DigestSegment> segments)
            implements LogEntry {}

    /**
     * A tombstone that the cleaner keeps for an entry which had to go: of a dead record that had
     * replaced something, or of a copy in a survivor whose original died while it was copied. Kills
     * every copy of the record up to its own sequence, which is the victim's; needed until the
     * victim's segment has left the log.
     */
    record KeptTombstone(long sequence, int family, byte[] key, Victim victim)
            implements TombstoneEntry {

        /** For the copy of a record with this sequence in this segment. */
        public static KeptTombstone of(int family, byte[] key, Victim victim) {
            return new KeptTombstone(victim.sequence(), family, key, victim);
        }
    }

    /**
     * First entry of a survivor: the segments whose entries it takes over. It may not leave the log
     * before them. Its sequence is 0: it says nothing about a record.
     */
    record Origins(long sequence, List<Long> segmentIds) implements LogEntry {}

    /**
     * @param sealedBytes length of the valid part when sealed, -1 while open
     */
    record DigestSegment(long segmentId, SpaceReport.Kind kind, long sealedBytes) {}

    long sequence();
}
