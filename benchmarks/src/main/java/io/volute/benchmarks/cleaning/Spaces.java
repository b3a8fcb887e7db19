package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Ticks;
import io.volute.storage.Cube;
import io.volute.storage.SpaceReport;
import io.volute.storage.SpaceReport.SegmentSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The totals of a cube's space.
 *
 * @param used bytes of segment files without holes, spares not counted
 * @param files bytes of segment files with holes and spares: what the capacity bounds
 */
record Spaces(long live, long dead, long tombstones, long holes, long used, long files) {
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

    double expansion() {
        return (double) used / Math.max(1, live);
    }

    /** The report once cleaning has come to rest, or after some seconds. */
    static SpaceReport settled(Cube cube) {
        SpaceReport before = cube.space();
        for (int i = 0; i < SETTLE_TRIES; i++) {
            Ticks.waitUntil(Ticks.nanos() + SETTLE_NANOS);
            SpaceReport now = cube.space();
            if (now.equals(before)) {
                return now;
            }
            before = now;
        }
        return before;
    }

    /** What cannot be in a report of a cube at rest. */
    static List<String> implausible(SpaceReport report, long capacity) {
        List<String> wrong = new ArrayList<>();
        for (SegmentSpace each : report.segments()) {
            if (each.live() < 0 || each.dead() < 0 || each.tombstones() < 0 || each.holes() < 0) {
                wrong.add("negative: " + each);
            }
            if (each.live() + each.dead() + each.tombstones() > each.written()) {
                wrong.add("more than was written: " + each);
            }
            if (each.written() > report.segmentBytes() || each.holes() > each.written()) {
                wrong.add("more than a segment: " + each);
            }
        }
        long files = of(report).files();
        if (files > capacity) {
            wrong.add(
                    String.format(Locale.ROOT, "files of %d bytes, capacity %d", files, capacity));
        }
        return wrong;
    }

    /**
     * Where two reports of the same log differ. What a pass had moved when the cube was closed is
     * there twice, and a scan may count either: so only the sums are compared.
     */
    static List<String> differences(SpaceReport kept, SpaceReport rebuilt) {
        Spaces one = of(kept);
        Spaces other = of(rebuilt);
        boolean isSame =
                one.live == other.live
                        && one.dead == other.dead
                        && one.tombstones == other.tombstones;
        return isSame ? List.of() : List.of("kept " + one + ", by a scan " + other);
    }
}
