package io.volute.storage.accounting;

import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;

/**
 * The stored state of a cube: the log, the index of it, and the accounting of the log's segments.
 * Commits, cleaning and reports work on the same one.
 *
 * @param log owned by the cube
 * @param index owned by the cube
 * @param accounts live and dead bytes of each segment
 * @param uploads blobs that are still being written
 * @param release decides which segments may leave the log
 */
public record CubeStorage(
        SegmentLog log,
        CubeIndex index,
        SegmentAccounts accounts,
        ActiveUploads uploads,
        SegmentRelease release) {

    /** Creates the state, with a release over its parts. */
    public CubeStorage(
            SegmentLog log, CubeIndex index, SegmentAccounts accounts, ActiveUploads uploads) {
        this(log, index, accounts, uploads, new SegmentRelease(log, index, accounts, uploads));
    }
}
