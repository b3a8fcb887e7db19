package io.volute.storage.log.ledger;

import io.volute.storage.log.SegmentFileName;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * The durable list of the segments of one log and their ledgers. Who claimed it last owns the log.
 * Thread-safe.
 */
public interface SegmentList extends AutoCloseable {

    /**
     * A listed segment.
     *
     * @param segmentBytes size of the segment, most of which may be unwritten
     * @param sealedBytes end of the written part; -1 while the ledger may be open
     * @param isUnderReplicated whether the ledger has fewer copies than were wanted
     */
    record Listed(
            SegmentFileName name,
            long ledgerId,
            long segmentBytes,
            long sealedBytes,
            boolean isUnderReplicated) {
        /** The end of the written part of a segment that may still be written. */
        public static final long OPEN = -1;

        Listed sealed(long end) {
            return new Listed(name, ledgerId, segmentBytes, end, isUnderReplicated);
        }

        boolean isSealed() {
            return sealedBytes != OPEN;
        }
    }

    /** The list at one moment: of a claim, or of a read. */
    record Claimed(long epoch, List<Listed> segments) {}

    /**
     * Claims the log. From here on no earlier owner changes the list. Its ledgers may still be
     * written, until each is recovered.
     */
    Claimed claim() throws IOException;

    /**
     * Adds, replaces and removes segments in one step.
     *
     * @param put segments by their ids
     * @throws FencedException when another owner has claimed the log; nothing has changed then
     */
    void change(List<Listed> put, List<Long> removed) throws IOException;

    /**
     * Verifies before a read that no later owner can have begun to serve. Cheap while a lease runs.
     *
     * @throws FencedException when another owner has claimed the log
     * @throws IOException when that cannot be found out now
     */
    void requireOwned() throws IOException;

    /**
     * Removes the list: the log is in another place from here on, and nobody claims it again.
     *
     * @param token name of the attempt, by which the list is known to have been removed
     * @throws FencedException when another owner has claimed the log; nothing has changed then
     * @throws IOException when the outcome is unknown
     */
    void leave(UUID token) throws IOException;

    @Override
    void close() throws IOException;
}
