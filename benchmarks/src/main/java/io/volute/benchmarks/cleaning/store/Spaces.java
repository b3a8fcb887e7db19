package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.Ticks;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The totals of a store's space.
 *
 * @param used bytes of segment files without holes, spares not counted
 * @param files bytes of segment files with holes and spares: what the capacity bounds
 * @param contradictions in the figures of some segments; none in those of a store at rest
 */
public record Spaces(
        long live,
        long dead,
        long tombstones,
        long holes,
        long used,
        long files,
        List<String> contradictions) {
    private static final long SETTLE_NANOS = 100_000_000;
    private static final int SETTLE_TRIES = 50;

    /**
     * Bytes of some segments.
     *
     * @param name for complaints
     * @param capacity of their files
     */
    record Segments(
            String name,
            long written,
            long live,
            long dead,
            long tombstones,
            long holes,
            long capacity) {

        private boolean isContradictory() {
            return Math.min(Math.min(live, dead), Math.min(tombstones, holes)) < 0
                    || live + dead + tombstones > written
                    || holes > written
                    || written > capacity;
        }
    }

    static Spaces of(SpaceReport report) {
        List<Segments> segments =
                report.segments().stream()
                        .map(
                                each ->
                                        new Segments(
                                                each.kind() + " " + each.segmentId(),
                                                each.written(),
                                                each.live(),
                                                each.dead(),
                                                each.tombstones(),
                                                each.holes(),
                                                report.segmentBytes()))
                        .toList();
        return of(segments, report.totals().used(), report.freeSegments() * report.segmentBytes());
    }

    static Spaces of(List<Segments> segments, long used, long spares) {
        return new Spaces(
                segments.stream().mapToLong(Segments::live).sum(),
                segments.stream().mapToLong(Segments::dead).sum(),
                segments.stream().mapToLong(Segments::tombstones).sum(),
                segments.stream().mapToLong(Segments::holes).sum(),
                used,
                used + spares,
                segments.stream()
                        .filter(Segments::isContradictory)
                        .map(Segments::toString)
                        .toList());
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

    /** Returns the contradictions in the figures of a store at rest. */
    public List<String> implausible(long capacity) {
        List<String> wrong = new ArrayList<>(contradictions);
        if (files > capacity) {
            wrong.add("files of " + files + " bytes, capacity " + capacity);
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
