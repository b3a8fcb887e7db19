package io.volute.storage.log.file;

import io.volute.storage.DamagedException;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentFileName;
import java.util.List;
import java.util.Map;

/**
 * What the directory of a log holds.
 *
 * @param segments in the log, by id
 * @param end behind the last whole batch of the newest head; START when there is none
 * @param firstBatchEnds of survivors, by id: behind the batch that names their origins
 * @param idHighWater the largest in the newest head
 * @param damages not yet told to anybody
 * @param strays files that have left the log and were not recycled yet
 * @param spares whole spare files, and half-made ones
 */
record Discovery(
        List<FoundSegment> segments,
        long nextSegmentId,
        LogPosition end,
        Map<Long, Long> firstBatchEnds,
        long idHighWater,
        List<DamagedException> damages,
        List<SegmentFileName> strays,
        List<SegmentFileName> spares) {

    /**
     * @param segmentBytes of the file, as its header says
     * @param writtenBytes end of the last batch, or of the room given out
     */
    record FoundSegment(
            SegmentFileName name, long segmentBytes, boolean sealed, long writtenBytes) {}
}
