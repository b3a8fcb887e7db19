package io.volute.storage.recovery;

import io.volute.storage.log.SegmentReads;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.log.ledger.SegmentList;
import io.volute.storage.log.segment.EntryReader;
import io.volute.storage.log.segment.OpenFiles;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentTable;
import io.volute.storage.log.segment.TableReads;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/**
 * The segments of another owner's log, as views of a standby index read them. A segment that has
 * left the list stays until no view can refer to it. {@link #follow} is called by one thread, the
 * rest by any.
 */
final class FollowedSegments {
    /** The mark of a segment that has left the list, while the index refers to it. */
    private static final long NEEDED = Long.MAX_VALUE;

    private final LedgerFollower log;
    private final OpenFiles openFiles = new OpenFiles();
    private final SegmentTable table = new SegmentTable(0);
    private final SegmentReads reads;
    private final AtomicLong lastView = new AtomicLong();
    private final ConcurrentSkipListSet<Long> openViews = new ConcurrentSkipListSet<>();

    private NavigableMap<Long, SegmentList.Listed> list = new TreeMap<>();

    /** Segments that have left the list, with the newest view that may refer to them. */
    private final Map<Long, Long> gone = new HashMap<>();

    /** Keeps segments readable until it is closed. */
    interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    FollowedSegments(LedgerFollower log) {
        this.log = log;
        this.reads = new TableReads(table, new EntryReader(log.cubeId(), table));
    }

    /** Returns reads of the listed segments, and of those that stay. */
    SegmentReads reads() {
        return reads;
    }

    /** Keeps the segments of the present index readable for a view. */
    Hold hold() {
        long view = lastView.incrementAndGet();
        openViews.add(view);
        return () -> openViews.remove(view);
    }

    /**
     * Takes the list as the follower has it now. Gives up segments that have left it, once no view
     * can refer to them.
     *
     * @param isNeeded returns whether the present index refers to a segment
     */
    void follow(LongPredicate isNeeded) {
        NavigableMap<Long, SegmentList.Listed> now = log.listed();
        if (now != list) {
            now.values().forEach(this::add);
            list.keySet().stream()
                    .filter(id -> !now.containsKey(id))
                    .forEach(id -> gone.put(id, NEEDED));
            list = now;
        }
        Iterator<Map.Entry<Long, Long>> each = gone.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Long, Long> segment = each.next();
            if (segment.getValue() == NEEDED && !isNeeded.test(segment.getKey())) {
                segment.setValue(lastView.get());
            }
            if (segment.getValue() != NEEDED
                    && openViews.headSet(segment.getValue(), true).isEmpty()) {
                each.remove();
                table.find(segment.getKey()).ifPresent(Segment::leaveLog);
            }
        }
    }

    private void add(SegmentList.Listed listed) {
        if (table.find(listed.name().number()).isEmpty()) {
            table.put(
                    new Segment(
                            log, openFiles, listed.name(), listed.segmentBytes(), this::discard));
        }
    }

    private void discard(Segment segment) {
        table.forget(segment);
        log.discard(segment.id());
    }
}
