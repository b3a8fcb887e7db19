package io.volute.storage.log.file;

import io.volute.storage.DamagedException;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentFileName;
import java.util.List;
import java.util.Map;

/**
 * The segments of a log, as found at a start.
 *
 * @param segments segments in the log, by id
 * @param end position behind the last whole batch of the newest head; START when there is none
 * @param firstBatchEnds ends of the first batches of survivors, by id
 * @param idHighWater largest id high water in the newest head
 * @param damages damage that was not reported yet
 * @param strays segments that have left the log and were not retired yet
 */
record DiscoveredLog(
        List<FoundSegment> segments,
        long nextSegmentId,
        LogPosition end,
        Map<Long, Long> firstBatchEnds,
        long idHighWater,
        List<DamagedException> damages,
        List<SegmentFileName> strays) {

    /**
     * A segment that was found.
     *
     * @param segmentBytes size of the file, from its header
     * @param writtenBytes end of the last batch, or of the space given out
     */
    record FoundSegment(
            SegmentFileName name, long segmentBytes, boolean sealed, long writtenBytes) {}
}
