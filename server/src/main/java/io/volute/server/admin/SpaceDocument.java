package io.volute.server.admin;

import io.volute.adminapi.SpaceApi.Cause;
import io.volute.adminapi.SpaceApi.Cleaner;
import io.volute.adminapi.SpaceApi.Decision;
import io.volute.adminapi.SpaceApi.Images;
import io.volute.adminapi.SpaceApi.Segments;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.adminapi.SpaceApi.Writes;
import io.volute.adminapi.Words;
import io.volute.storage.CubeMaintenance;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.ImageStats;
import io.volute.storage.report.SpaceDecision;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The use of a cube's bytes, as the admin API answers it. */
final class SpaceDocument {
    private SpaceDocument() {}

    static Space of(String name, CubeMaintenance cube) {
        SpaceReport space = cube.space();
        CubeStats stats = cube.stats();
        SpaceReport.Totals totals = space.totals();
        return new Space(
                name,
                Words.of(cube.state()),
                totals.capacity(),
                totals.used(),
                totals.free(),
                totals.clientFree(),
                totals.live(),
                sum(space.segments(), SegmentSpace::dead),
                totals.tombstones(),
                sum(space.segments(), SegmentSpace::holes),
                totals.compactable(),
                totals.expansion(),
                space.segmentBytes(),
                space.freeSegments(),
                segments(space.segments()),
                writes(stats),
                decision(space.decision()),
                cleaner(space.cleaner()),
                images(stats.images()));
    }

    private static long sum(List<SegmentSpace> segments, ToLongFunction<SegmentSpace> figure) {
        return segments.stream().mapToLong(figure).sum();
    }

    private static List<Segments> segments(List<SegmentSpace> all) {
        List<Segments> kinds = new ArrayList<>();
        for (SpaceReport.Kind kind : SpaceReport.Kind.values()) {
            List<SegmentSpace> some =
                    all.stream().filter(segment -> segment.kind() == kind).toList();
            kinds.add(
                    new Segments(
                            Words.of(kind),
                            some.size(),
                            some.stream().filter(SegmentSpace::sealed).count(),
                            sum(some, SegmentSpace::written),
                            sum(some, SegmentSpace::live),
                            sum(some, SegmentSpace::dead),
                            sum(some, SegmentSpace::tombstones),
                            sum(some, SegmentSpace::holes)));
        }
        return kinds;
    }

    private static Writes writes(CubeStats stats) {
        long client = stats.bytesWritten().getOrDefault(WriteCause.CLIENT_DATA, 0L);
        long total = 0;
        Map<String, Cause> causes = new LinkedHashMap<>();
        for (WriteCause cause : WriteCause.values()) {
            long bytes = stats.bytesWritten().getOrDefault(cause, 0L);
            total += bytes;
            causes.put(Words.of(cause), new Cause(bytes, ratio(bytes, client)));
        }
        return new Writes(total, ratio(total, client), causes);
    }

    private static double ratio(long bytes, long client) {
        return client == 0 ? 0 : (double) bytes / client;
    }

    private static Decision decision(SpaceDecision decision) {
        return new Decision(
                Words.of(decision.action()),
                decision.words(),
                decision.capacity(),
                decision.free(),
                decision.live(),
                decision.tombstones(),
                decision.used(),
                decision.freeShare(),
                decision.liveShare(),
                decision.tombstoneShare(),
                decision.expansion());
    }

    private static Cleaner cleaner(SpaceReport.CleanerTotals totals) {
        return new Cleaner(
                totals.passes(),
                totals.freedSegments(),
                totals.copiedBytes(),
                totals.damagedSegments());
    }

    private static Images images(ImageStats images) {
        return new Images(
                images.space().budgetBytes(),
                images.space().allocatedBytes(),
                images.space().liveBytes(),
                images.reads().hits(),
                images.reads().misses(),
                images.upkeep().compactions(),
                images.upkeep().evictions(),
                images.upkeep().evictedEntries());
    }
}
