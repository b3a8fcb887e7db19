package io.volute.storage.accounting;

import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Finds segments that may leave the log, and frees them. The package description has the rule. */
public final class SegmentRelease {
    private final SegmentLog log;
    private final CubeIndex index;
    private final SegmentAccounts accounts;
    private final ActiveUploads uploads;
    private final Set<Long> beingCleaned = ConcurrentHashMap.newKeySet();
    private final Set<Long> cleaned = ConcurrentHashMap.newKeySet();

    public SegmentRelease(
            SegmentLog log, CubeIndex index, SegmentAccounts accounts, ActiveUploads uploads) {
        this.log = log;
        this.index = index;
        this.accounts = accounts;
        this.uploads = uploads;
    }

    /**
     * Holds segments in the log until {@link #cleaningEnded}. Survivors that are still written do
     * not count in a rebuild, so their origins must stay.
     */
    public void cleaningBegins(Set<Long> segments) {
        beingCleaned.addAll(segments);
    }

    public void cleaningEnded(Set<Long> segments) {
        beingCleaned.removeAll(segments);
    }

    /**
     * Marks segments as cleaned: all their needed entries lie in survivors, and the index has them
     * there.
     */
    public void cleaned(Set<Long> segments) {
        cleaned.addAll(segments);
    }

    /**
     * Returns whether the segment shares entries with another one. Then a crash may undo what the
     * index has for it.
     */
    public boolean isMoving(long segment) {
        return beingCleaned.contains(segment)
                || cleaned.contains(segment)
                || accounts.isShared(segment);
    }

    public boolean isCleaned(long segment) {
        return cleaned.contains(segment);
    }

    /**
     * Returns the segments that may be freed once a flush that begins after this call has ended.
     * From any thread.
     *
     * @param applied position that such a flush reaches at least
     */
    public Set<Long> candidates(LogPosition applied) {
        List<SegmentLog.SegmentState> segments = log.segments();
        Map<Long, Long> uploading = uploads.bytesBySegment();
        Set<Long> sealed = new HashSet<>();
        for (SegmentLog.SegmentState segment : segments) {
            boolean replayed =
                    segment.kind() != SpaceReport.Kind.HEAD
                            || segment.segmentId() < applied.segmentId();
            if (segment.sealed()
                    && replayed
                    && !uploading.containsKey(segment.segmentId())
                    && !beingCleaned.contains(segment.segmentId())) {
                sealed.add(segment.segmentId());
            }
        }
        return accounts.releasable(sealed, cleaned, ids(segments));
    }

    /**
     * Frees segments that were found before a flush that has ended. Called by the committing
     * thread.
     */
    public void free(Set<Long> candidates) throws IOException {
        Set<Long> stay = ids(log.segments());
        Set<Long> leaving = new HashSet<>(candidates);
        // Two flushes may have found the same segment.
        leaving.retainAll(stay);
        if (leaving.isEmpty()) {
            return;
        }
        for (long segment : leaving) {
            if (accounts.live(segment) != 0) {
                throw new BrokenInvariant("segment " + segment + " has live bytes again");
            }
        }
        log.free(leaving);
        stay.removeAll(leaving);
        SegmentAccounts.Changes changes = accounts.retaining(stay);
        IndexBatch batch = new IndexBatch();
        changes.addRows(batch);
        index.write(batch);
        changes.publish();
        cleaned.removeAll(leaving);
    }

    public static Set<Long> ids(List<SegmentLog.SegmentState> segments) {
        Set<Long> ids = new HashSet<>();
        segments.forEach(segment -> ids.add(segment.segmentId()));
        return ids;
    }
}
