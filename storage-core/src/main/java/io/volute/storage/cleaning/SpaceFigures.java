package io.volute.storage.cleaning;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Adds up what the segments of a cube take and hold, for the balancer. Thread-safe. */
public final class SpaceFigures {
    /** Of a head or survivor segment that must be punchable. */
    private static final double SHARE = 0.125;

    private final SegmentLog log;
    private final SegmentAccounts accounts;
    private final Compactor compactor;
    private final LogSettings settings;

    public SpaceFigures(
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
                log.cleanerBytes(),
                log.clientBytes(),
                accounts.live(),
                used,
                this::tombstones,
                this::punchable);
    }

    private long tombstones() {
        long tombstones = 0;
        for (SegmentLog.SegmentState segment : log.segments()) {
            tombstones += accounts.totals(segment.segmentId()).tombstones();
        }
        return tombstones;
    }

    private long punchable() {
        return worthwhile().mapToLong(Punchable::bytes).sum();
    }

    private record Punchable(long segmentId, long bytes) {}

    /**
     * Of head and survivor segments those where it is much: all of a segment is read for it, each
     * small hole costs a call, and what is not punched comes back by combined cleaning.
     */
    private Stream<Punchable> worthwhile() {
        if (!settings.cleaning().compaction()) {
            return Stream.empty();
        }
        return log.segments().stream()
                .map(
                        each ->
                                new Punchable(
                                        each.segmentId(),
                                        worthwhile(each, compactor.punchable(each.segmentId()))))
                .filter(each -> each.bytes() > 0);
    }

    private static long worthwhile(SegmentLog.SegmentState segment, long punchable) {
        return segment.kind() == SpaceReport.Kind.STREAM
                        || punchable >= segment.writtenBytes() * SHARE
                ? punchable
                : 0;
    }

    /** Gives back what the balancer counts on; returns the bytes. */
    long compactWorthwhile() throws IOException {
        return compact(
                worthwhile()
                        .sorted(Comparator.comparingLong(Punchable::bytes).reversed())
                        .map(Punchable::segmentId)
                        .toList());
    }

    /** Gives back what can be given back; returns the bytes. */
    public long compactAll() throws IOException {
        return compact(SegmentRelease.ids(log.segments()));
    }

    private long compact(Collection<Long> segments) throws IOException {
        long given = 0;
        for (long segment : segments) {
            given += compactor.compact(segment);
        }
        return given;
    }
}
