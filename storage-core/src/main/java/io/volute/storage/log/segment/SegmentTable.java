package io.volute.storage.log.segment;

import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.report.SpaceReport.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segments of the log by id. A thread that opens a segment or writes a digest holds {@link
 * #changes()} meanwhile. So a digest never lists a segment that does not exist yet, nor omits one
 * below its next id.
 */
public final class SegmentTable {
    private final ReentrantLock changes = new ReentrantLock();
    private final ConcurrentSkipListMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
    private long nextSegmentId;

    public SegmentTable(long nextSegmentId) {
        this.nextSegmentId = nextSegmentId;
    }

    /** Adds a segment found at the start. */
    public void put(Segment segment) {
        segments.put(segment.id(), segment);
    }

    public ReentrantLock changes() {
        return changes;
    }

    public long nextSegmentId() {
        return nextSegmentId;
    }

    /** Adds a segment that is durable, under the id that was next. */
    public void add(Segment segment) {
        segments.put(segment.id(), segment);
        nextSegmentId = segment.id() + 1;
    }

    /** Forgets a segment whose file has gone to the spares. */
    public void forget(Segment segment) {
        segments.remove(segment.id());
    }

    public Segment get(long segmentId) throws SegmentGoneException {
        Segment segment = segments.get(segmentId);
        if (segment == null) {
            throw new SegmentGoneException(segmentId);
        }
        return segment;
    }

    /**
     * Returns the bytes that files in use take: files of the log, and files that are still read.
     */
    public long usedBytes() {
        long bytes = 0;
        for (Segment segment : segments.values()) {
            bytes += segment.takenBytes();
        }
        return bytes;
    }

    public Optional<Segment> find(long segmentId) {
        return Optional.ofNullable(segments.get(segmentId));
    }

    /** Returns the segments in the log, by id. */
    public List<Segment> inLog() {
        List<Segment> list = new ArrayList<>();
        for (Segment segment : segments.values()) {
            if (segment.isInLog()) {
                list.add(segment);
            }
        }
        return list;
    }

    public List<Segment> inLog(Set<Kind> kinds) {
        List<Segment> list = inLog();
        list.removeIf(segment -> !kinds.contains(segment.kind()));
        return list;
    }

    /** Returns all segments, including those that have left the log and are still read. */
    public Collection<Segment> all() {
        return segments.values();
    }

    /** Returns the list for a digest that omits some segments. */
    public List<LogEntry.DigestSegment> listWithout(Set<Long> omitted) {
        List<LogEntry.DigestSegment> list = new ArrayList<>();
        for (Segment segment : inLog()) {
            if (!omitted.contains(segment.id())) {
                list.add(
                        new LogEntry.DigestSegment(
                                segment.id(),
                                segment.kind(),
                                segment.isSealed() ? segment.writtenBytes() : -1));
            }
        }
        return list;
    }

    /**
     * Pins all of the segments or none.
     *
     * @throws SegmentGoneException when one has left the log; the message names it
     */
    public SegmentReads.Pin pin(Collection<Long> segmentIds) throws SegmentGoneException {
        List<Pinned> pinned = new ArrayList<>(segmentIds.size());
        for (long id : Set.copyOf(segmentIds)) {
            Segment segment = segments.get(id);
            OptionalInt phase = segment == null ? OptionalInt.empty() : segment.pin();
            if (phase.isEmpty()) {
                pinned.forEach(Pinned::unpin);
                throw new SegmentGoneException(id);
            }
            pinned.add(new Pinned(segment, phase.getAsInt()));
        }
        return new HeldPin(pinned);
    }

    private record Pinned(Segment segment, int phase) {
        void unpin() {
            segment.unpin(phase);
        }
    }

    private static final class HeldPin implements SegmentReads.Pin {
        private List<Pinned> pinned;

        HeldPin(List<Pinned> pinned) {
            this.pinned = pinned;
        }

        @Override
        public void close() {
            List<Pinned> held = pinned;
            pinned = List.of();
            held.forEach(Pinned::unpin);
        }
    }
}
