package io.volute.storage.cube;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.SpaceReport;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.List;

/** Adds up what the segments of a cube take and hold, for the balancer. Thread-safe. */
final class SpaceFigures {
    private final SegmentLog log;
    private final SegmentAccounts accounts;
    private final Compactor compactor;
    private final LogSettings settings;

    SpaceFigures(
            SegmentLog log, SegmentAccounts accounts, Compactor compactor, LogSettings settings) {
        this.log = log;
        this.accounts = accounts;
        this.compactor = compactor;
        this.settings = settings;
    }

    Balancer.Figures now() {
        long used = 0;
        List<SegmentLog.SegmentState> segments = log.segments();
        compactor.retain(SegmentRelease.ids(segments));
        for (SegmentLog.SegmentState segment : segments) {
            // The file of a stream segment has no blocks where nothing was written yet.
            used +=
                    segment.kind() == SpaceReport.Kind.STREAM && !segment.sealed()
                            ? segment.writtenBytes()
                            : segment.takenBytes();
        }
        return new Balancer.Figures(
                log.cleanerBytes(), accounts.live(), used, this::tombstones, this::punchable);
    }

    private long tombstones() {
        long tombstones = 0;
        for (SegmentLog.SegmentState segment : log.segments()) {
            tombstones += accounts.totals(segment.segmentId()).tombstones();
        }
        return tombstones;
    }

    /**
     * Of stream segments: small holes in the others cost a call each, and what is dead there comes
     * back by combined cleaning.
     */
    private long punchable() {
        long punchable = 0;
        for (SegmentLog.SegmentState segment : streams()) {
            punchable += compactor.punchable(segment.segmentId());
        }
        return punchable;
    }

    private List<SegmentLog.SegmentState> streams() {
        return settings.cleaning().compaction()
                ? log.segments().stream()
                        .filter(each -> each.kind() == SpaceReport.Kind.STREAM)
                        .toList()
                : List.of();
    }

    /** Gives back what the balancer counts on; returns the bytes. */
    long compactStreams() throws IOException {
        return compact(streams());
    }

    /** Gives back what can be given back; returns the bytes. */
    long compactAll() throws IOException {
        return compact(log.segments());
    }

    private long compact(List<SegmentLog.SegmentState> segments) throws IOException {
        long given = 0;
        for (SegmentLog.SegmentState segment : segments) {
            given += compactor.compact(segment.segmentId());
        }
        return given;
    }
}
