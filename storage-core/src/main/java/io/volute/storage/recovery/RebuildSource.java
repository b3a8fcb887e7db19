package io.volute.storage.recovery;

import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** The segments from which an index is rebuilt. */
interface RebuildSource {

    /** Passes every batch of all heads and survivors to a visitor. */
    SegmentLog.ReplayResult scanAll(SegmentLog.BatchVisitor visitor) throws IOException;

    /** Returns the ends of the survivors, by segment id in ascending order. */
    Map<Long, Long> survivorEnds();

    /** Returns the segments of an open log. */
    static RebuildSource of(SegmentLog log) {
        return new RebuildSource() {
            @Override
            public SegmentLog.ReplayResult scanAll(SegmentLog.BatchVisitor visitor)
                    throws IOException {
                return log.scanAll(visitor);
            }

            @Override
            public Map<Long, Long> survivorEnds() {
                Map<Long, Long> ends = new TreeMap<>();
                for (SegmentLog.SegmentState segment : log.segments()) {
                    if (segment.kind() == SpaceReport.Kind.SURVIVOR) {
                        ends.put(segment.segmentId(), segment.writtenBytes());
                    }
                }
                return ends;
            }
        };
    }
}
