package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.Ticks;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The totals of a store's space.
 *
 * @param used bytes of segment files without holes, spares not counted
 * @param files bytes of segment files with holes and spares: what the capacity bounds
 */
public record Spaces(long live, long dead, long tombstones, long holes, long used, long files) {
    private static final long SETTLE_NANOS = 100_000_000;
    private static final int SETTLE_TRIES = 50;

    static Spaces of(SpaceReport report) {
        long live = 0;
        long dead = 0;
        long tombstones = 0;
        long holes = 0;
        for (SegmentSpace each : report.segments()) {
            live += each.live();
            dead += each.dead();
            tombstones += each.tombstones();
            holes += each.holes();
        }
        long used = report.totals().used();
        long files = used + report.freeSegments() * report.segmentBytes();
        return new Spaces(live, dead, tombstones, holes, used, files);
    }

    public double expansion() {
        return (double) used / Math.max(1, live);
    }

    /** The totals once cleaning has come to rest, or after some seconds. */
    public static Spaces settled(MeasuredStore store) throws IOException {
        Spaces before = store.spaces();
        for (int i = 0; i < SETTLE_TRIES; i++) {
            Ticks.waitUntil(Ticks.nanos() + SETTLE_NANOS);
            Spaces now = store.spaces();
            if (now.equals(before)) {
                return now;
            }
            before = now;
        }
        return before;
    }

    /**
     * Bytes of some segments.
     *
     * @param name for complaints
     * @param bytesMax of their files
     */
    record Part(
            String name,
            long written,
            long live,
            long dead,
            long tombstones,
            long holes,
            long bytesMax) {

        private List<String> implausible() {
            List<String> wrong = new ArrayList<>();
            if (live < 0 || dead < 0 || tombstones < 0 || holes < 0) {
                wrong.add("negative: " + this);
            }
            if (live + dead + tombstones > written) {
                wrong.add("more than was written: " + this);
            }
            if (written > bytesMax || holes > written) {
                wrong.add("more than the segments hold: " + this);
            }
            return wrong;
        }
    }

    /** Returns the contradictions in the report of a cube at rest. */
    static List<String> implausible(SpaceReport report, long capacity) {
        List<Part> parts =
                report.segments().stream()
                        .map(
                                each ->
                                        new Part(
                                                each.kind() + " " + each.segmentId(),
                                                each.written(),
                                                each.live(),
                                                each.dead(),
                                                each.tombstones(),
                                                each.holes(),
                                                report.segmentBytes()))
                        .toList();
        return of(report).implausible(parts, capacity);
    }

    /** Returns the contradictions in these totals of a store at rest, or in their parts. */
    List<String> implausible(List<Part> parts, long capacity) {
        List<String> wrong = new ArrayList<>();
        parts.forEach(part -> wrong.addAll(part.implausible()));
        if (files > capacity) {
            wrong.add(
                    String.format(Locale.ROOT, "files of %d bytes, capacity %d", files, capacity));
        }
        return wrong;
    }

    /**
     * Where the totals of the same log differ from those of a scan. What a pass had moved when the
     * cube was closed is there twice, and a scan may count either: so only the sums are compared.
     */
    public List<String> differences(Spaces rebuilt) {
        boolean isSame =
                live == rebuilt.live && dead == rebuilt.dead && tombstones == rebuilt.tombstones;
        return isSame ? List.of() : List.of("kept " + this + ", by a scan " + rebuilt);
    }
}
