package io.volute.server.admin;

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
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The use of a cube's bytes, as a document. Schema: {@code CubeSpace} in
 * docs/reference/openapi.yaml.
 */
final class SpaceDocument {
    private SpaceDocument() {}

    static Map<String, Object> of(String name, CubeMaintenance cube) {
        SpaceReport space = cube.space();
        CubeStats stats = cube.stats();
        SpaceReport.Totals totals = space.totals();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cube", name);
        document.put("state", cube.state().name().toLowerCase(Locale.ROOT));
        document.put("capacityBytes", totals.capacity());
        document.put("usedBytes", totals.used());
        document.put("freeBytes", totals.free());
        document.put("clientFreeBytes", totals.clientFree());
        document.put("liveBytes", totals.live());
        document.put("deadBytes", sum(space.segments(), SegmentSpace::dead));
        document.put("tombstoneBytes", totals.tombstones());
        document.put("holeBytes", sum(space.segments(), SegmentSpace::holes));
        document.put("compactableBytes", totals.compactable());
        document.put("expansion", totals.expansion());
        document.put("segmentBytes", space.segmentBytes());
        document.put("spareSegments", space.freeSegments());
        document.put("segments", segments(space.segments()));
        document.put("writes", writes(stats));
        document.put("decision", decision(space.decision()));
        document.put("cleaner", cleaner(space.cleaner()));
        document.put("images", images(stats.images()));
        return document;
    }

    private static long sum(List<SegmentSpace> segments, ToLongFunction<SegmentSpace> figure) {
        return segments.stream().mapToLong(figure).sum();
    }

    private static List<Object> segments(List<SegmentSpace> all) {
        List<Object> kinds = new ArrayList<>();
        for (SpaceReport.Kind kind : SpaceReport.Kind.values()) {
            List<SegmentSpace> some =
                    all.stream().filter(segment -> segment.kind() == kind).toList();
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("kind", kind.name().toLowerCase(Locale.ROOT));
            document.put("count", some.size());
            document.put("sealed", (int) some.stream().filter(SegmentSpace::sealed).count());
            document.put("writtenBytes", sum(some, SegmentSpace::written));
            document.put("liveBytes", sum(some, SegmentSpace::live));
            document.put("deadBytes", sum(some, SegmentSpace::dead));
            document.put("tombstoneBytes", sum(some, SegmentSpace::tombstones));
            document.put("holeBytes", sum(some, SegmentSpace::holes));
            kinds.add(document);
        }
        return kinds;
    }

    /** Returns the bytes written since start by cause, and their ratio to the bytes of clients. */
    private static Map<String, Object> writes(CubeStats stats) {
        long client = stats.bytesWritten().getOrDefault(WriteCause.CLIENT_DATA, 0L);
        long total = 0;
        Map<String, Object> causes = new LinkedHashMap<>();
        for (WriteCause cause : WriteCause.values()) {
            long bytes = stats.bytesWritten().getOrDefault(cause, 0L);
            total += bytes;
            causes.put(
                    cause.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    Map.of("bytes", bytes, "amplification", ratio(bytes, client)));
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bytes", total);
        document.put("amplification", ratio(total, client));
        document.put("causes", causes);
        return document;
    }

    private static double ratio(long bytes, long client) {
        return client == 0 ? 0 : (double) bytes / client;
    }

    private static Map<String, Object> decision(SpaceDecision decision) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("action", decision.action().name().toLowerCase(Locale.ROOT));
        document.put("reason", decision.words());
        document.put("capacityBytes", decision.capacity());
        document.put("freeBytes", decision.free());
        document.put("liveBytes", decision.live());
        document.put("tombstoneBytes", decision.tombstones());
        document.put("usedBytes", decision.used());
        document.put("freeShare", decision.freeShare());
        document.put("liveShare", decision.liveShare());
        document.put("tombstoneShare", decision.tombstoneShare());
        document.put("expansion", decision.expansion());
        return document;
    }

    private static Map<String, Object> cleaner(SpaceReport.CleanerTotals totals) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("passes", totals.passes());
        document.put("freedSegments", totals.freedSegments());
        document.put("copiedBytes", totals.copiedBytes());
        document.put("damagedSegments", totals.damagedSegments());
        return document;
    }

    private static Map<String, Object> images(ImageStats images) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("budgetBytes", images.space().budgetBytes());
        document.put("allocatedBytes", images.space().allocatedBytes());
        document.put("liveBytes", images.space().liveBytes());
        document.put("hits", images.reads().hits());
        document.put("misses", images.reads().misses());
        document.put("compactions", images.upkeep().compactions());
        document.put("evictions", images.upkeep().evictions());
        document.put("evictedEntries", images.upkeep().evictedEntries());
        return document;
    }
}
