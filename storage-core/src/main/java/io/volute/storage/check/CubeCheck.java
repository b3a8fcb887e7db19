package io.volute.storage.check;

import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks a cube while it works. Figures are compared within one snapshot of the index, where they
 * must agree whatever changes meanwhile. Accounting rows and reference counts are written in the
 * batch of the change itself, and the content of a sealed segment never changes but for holes.
 * Every mismatch is checked a second time before it is reported.
 *
 * <ol>
 *   <li>{@link ReferenceCheck}: references, and live bytes by segment, from the index; what is live
 *       in open segments is read.
 *   <li>{@link SegmentCheck}: every sealed head and survivor segment is read.
 *   <li>{@link ChunkCheck}: the chunks of every stream blob are read.
 *   <li>{@link DamageSearch}: if something is damaged, the records that need it are found.
 * </ol>
 */
public final class CubeCheck {
    private final SegmentLog log;
    private final CubeIndex index;
    private final PhasedCount lookups;
    private final List<SegmentLog.SegmentState> segments;
    private final CheckFindings notes;

    public CubeCheck(
            CubeStorage storage,
            PhasedCount lookups,
            long bytesPerSecond,
            CheckReport.Watch watch) {
        this.log = storage.log();
        this.index = storage.index();
        this.lookups = lookups;
        this.segments = log.segments();
        this.notes = new CheckFindings(bytesPerSecond, watch, segments.size());
    }

    /** Checks some segments alone: their checksums, and what needs them. */
    private CheckReport run(Set<Long> some) throws IOException {
        try {
            for (SegmentLog.SegmentState segment : segments) {
                if (!some.contains(segment.segmentId())) {
                    continue;
                }
                if (segment.kind() != SpaceReport.Kind.STREAM) {
                    // Live entries are read one by one, also those of an open segment.
                    notes.suspect(segment.segmentId());
                }
                notes.segment();
            }
            new ChunkCheck(log, index, lookups, notes).run(some::contains);
            new DamageSearch(log, index, notes).run();
            return notes.report(true);
        } catch (CheckFindings.Ended e) {
            return notes.report(false);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Runs the check.
     *
     * @param some as in {@link io.volute.storage.CubeMaintenance#check}
     */
    public CheckReport run(Optional<Set<Long>> some) throws IOException {
        return some.isPresent() ? run(some.get()) : run();
    }

    private CheckReport run() throws IOException {
        try {
            new ReferenceCheck(log, index, notes).run();
            for (SegmentLog.SegmentState segment : segments) {
                if (segment.kind() == SpaceReport.Kind.STREAM) {
                    new ExtentCheck(index, notes).run(segment.segmentId());
                } else if (segment.sealed()) {
                    new SegmentCheck(log, index, notes).run(segment.segmentId());
                }
                notes.segment();
            }
            new ChunkCheck(log, index, lookups, notes).run(any -> true);
            new DamageSearch(log, index, notes).run();
            return notes.report(true);
        } catch (CheckFindings.Ended e) {
            return notes.report(false);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
