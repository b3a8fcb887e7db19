package io.volute.storage.cleaning;

import io.volute.storage.CleaningSettings;
import io.volute.storage.Place;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentHoles;
import io.volute.storage.log.SegmentHoles.Range;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Level one of cleaning: gives the dead pages of a sealed segment back to the file system, without
 * a byte of log. Thread-safe; never waits for a reader.
 *
 * <ol>
 *   <li>The segment is sealed: nothing is written to it any more, so dead bytes stay dead. The
 *       cleaner takes nothing over from it, nor is it a survivor with origins in the log.
 *   <li>The uploads, then the live extents, are looked up; the rest is dead. The index applies a
 *       death only after it is durable in the log. After a crash here: nothing has happened.
 *   <li>Every lookup of a blob that began before has pinned its segments or given up. Then every
 *       pin of this segment from before is released. Until then {@link #compact} returns 0, and is
 *       called again.
 *   <li>The pages are punched. After a crash here: any part of them may be zeros. An older index
 *       that still has the blobs replays their death before it is read; a scan finds holes where
 *       dead inline blobs were ({@link io.volute.storage.format.HoledBatch}).
 * </ol>
 *
 * <p>The log measures holes rather than counting them, so the figures are exact after any crash.
 *
 * <p>Source: Rumble et al., "Log-structured Memory for DRAM-based Storage" (FAST 2014), section 3.
 */
public final class Compactor {

    /** Smallest part of a head or survivor segment that is worth punching. */
    private static final double WORTHWHILE_SHARE = 0.125;

    private final CubeStorage storage;
    private final PhasedCount lookups;
    private final CubeHealth health;
    private final CleaningSettings settings;
    private final SegmentHoles holes;
    private final Map<Long, SegmentCompaction> compactions = new ConcurrentHashMap<>();
    private volatile boolean isRefused;
    private final LongAdder punched = new LongAdder();

    /**
     * @param lookups counts lookups of blobs that have not pinned their segments yet
     */
    Compactor(
            CubeStorage storage,
            PhasedCount lookups,
            CubeHealth health,
            CleaningSettings settings) {
        this.storage = storage;
        this.lookups = lookups;
        this.health = health;
        this.settings = settings;
        this.holes = storage.log().holes();
    }

    /**
     * Punches the dead pages of a segment, or the pages that were dead at an earlier call and may
     * be punched only now.
     *
     * @return bytes given back by this call; 0 when readers must end first (call again), another
     *     thread compacts the segment, it is not sealed or not in the log, or the file system
     *     cannot
     * @throws IOException when a punch fails, or the cube takes no writes; nothing is lost
     */
    public long compact(long segmentId) throws IOException {
        health.requireWritable();
        Optional<SegmentLog.SegmentState> sealed = holes.sealed(segmentId);
        if (sealed.isEmpty() || isRefused) {
            return 0;
        }
        SegmentCompaction compaction = compaction(segmentId);
        if (!compaction.lock.tryLock()) {
            return 0;
        }
        try {
            return compaction.step(sealed.get());
        } catch (SegmentGoneException e) {
            // The segment left the log: all of it comes back.
            return 0;
        } finally {
            compaction.lock.unlock();
        }
    }

    /**
     * Returns the bytes that a compaction would give back as soon as readers allow it. It reads
     * index rows of stream segments, and nothing of other segments.
     */
    public long punchable(long segmentId) {
        Optional<SegmentLog.SegmentState> sealed = holes.sealed(segmentId);
        if (sealed.isEmpty() || isRefused || storage.release().isMoving(segmentId)) {
            return 0;
        }
        return compaction(segmentId).toPunch(found(sealed.get()).bytes());
    }

    /** Returns the bytes that {@link #compactWorthwhile} would give back as readers allow it. */
    long punchableWorthwhile() {
        return worthwhile().mapToLong(Punchable::bytes).sum();
    }

    private record Punchable(long segmentId, long bytes) {}

    /**
     * Returns the segments that are worth compacting. Of head and survivor segments these are the
     * ones with much to give back: all of such a segment is read, each small hole costs a call, and
     * combined cleaning reclaims the rest.
     */
    private Stream<Punchable> worthwhile() {
        if (!settings.compaction()) {
            return Stream.empty();
        }
        return storage.log().segments().stream()
                .map(
                        each ->
                                new Punchable(
                                        each.segmentId(),
                                        worthwhile(each, punchable(each.segmentId()))))
                .filter(each -> each.bytes() > 0);
    }

    private static long worthwhile(SegmentLog.SegmentState segment, long punchable) {
        return segment.kind() == SpaceReport.Kind.STREAM
                        || punchable >= segment.writtenBytes() * WORTHWHILE_SHARE
                ? punchable
                : 0;
    }

    /** Compacts the segments that are worth it, those with most first; returns the bytes won. */
    long compactWorthwhile() throws IOException {
        return compact(
                worthwhile()
                        .sorted(Comparator.comparingLong(Punchable::bytes).reversed())
                        .map(Punchable::segmentId)
                        .toList());
    }

    /** Compacts all segments; returns the bytes won. */
    long compactAll() throws IOException {
        return compact(SegmentRelease.ids(storage.log().segments()));
    }

    private long compact(Collection<Long> segments) throws IOException {
        long given = 0;
        for (long segment : segments) {
            given += compact(segment);
        }
        return given;
    }

    /**
     * The dead bytes of a segment.
     *
     * @param inStream ranges of a stream segment; for other segments a scan must find them
     */
    private record DeadBytes(long bytes, Optional<List<Range>> inStream) {}

    private DeadBytes found(SegmentLog.SegmentState sealed) {
        if (sealed.kind() != SpaceReport.Kind.STREAM) {
            return new DeadBytes(
                    storage.accounts().deadPages(sealed.segmentId()), Optional.empty());
        }
        List<Range> dead = deadInStream(sealed);
        return new DeadBytes(dead.stream().mapToLong(Range::bytes).sum(), Optional.of(dead));
    }

    /** Returns the bytes given back since the cube was opened. */
    public long punchedBytes() {
        return punched.sum();
    }

    /**
     * Returns the measured bytes of a sealed segment's written part that take no space any more; 0
     * for other segments.
     */
    public long holeBytes(long segmentId) {
        return holes.holeBytes(segmentId);
    }

    /** Drops the state of segments that are not among these. */
    void retain(Set<Long> segments) {
        compactions.keySet().retainAll(segments);
    }

    private SegmentCompaction compaction(long segmentId) {
        return compactions.computeIfAbsent(segmentId, SegmentCompaction::new);
    }

    /**
     * Returns the dead ranges of a stream segment that was found sealed before. It queries the
     * uploads first, then the live extents.
     */
    private List<Range> deadInStream(SegmentLog.SegmentState sealed) {
        List<Place> used = new ArrayList<>(storage.uploads().extentsIn(sealed.segmentId()));
        used.addAll(storage.index().extents().live(sealed.segmentId()));
        used.sort(Comparator.comparingLong(Place::offset));
        List<Range> dead = new ArrayList<>();
        long free = SegmentFormat.PAGE_BYTES;
        for (Place each : used) {
            if (each.offset() > free) {
                dead.add(new Range(free, each.offset()));
            }
            free = Math.max(free, SegmentFormat.pageUp(each.offset() + each.bytes()));
        }
        long end = SegmentFormat.pageUp(sealed.writtenBytes());
        if (end > free) {
            dead.add(new Range(free, end));
        }
        return dead;
    }

    /**
     * Dead ranges that readers may still use.
     *
     * @param deadBytes dead bytes of the segment; a dead blob that does not fit its checksum is not
     *     among the ranges
     */
    private record PendingPunch(
            List<Range> dead,
            long deadBytes,
            PhasedCount.Grace lookups,
            Optional<PhasedCount.Grace> readers) {

        /**
         * Returns the next state. The lookups end first: only then is every reader pinned that they
         * led to.
         */
        PendingPunch next(SegmentHoles holes, long segmentId) throws IOException {
            return readers.isEmpty() && lookups.hasEnded()
                    ? new PendingPunch(
                            dead, deadBytes, lookups, Optional.of(holes.grace(segmentId)))
                    : this;
        }

        boolean isOver() {
            return readers.isPresent() && readers.get().hasEnded();
        }
    }

    /** The compaction of one segment. */
    private final class SegmentCompaction {
        private final long segmentId;
        private final ReentrantLock lock = new ReentrantLock();
        private Optional<PendingPunch> waiting = Optional.empty();

        /** Dead bytes that were handled, whatever the file system punched of them. */
        private volatile long settledBytes;

        SegmentCompaction(long segmentId) {
            this.segmentId = segmentId;
        }

        /** Returns the part of the dead bytes that was not handled yet. */
        long toPunch(long deadBytes) {
            return Math.max(0, deadBytes - Math.max(holeBytes(segmentId), settledBytes));
        }

        long step(SegmentLog.SegmentState sealed) throws IOException {
            boolean isOld = waiting.isPresent();
            long given = punchOnce(sealed);
            // Punches what died during the wait.
            return isOld && waiting.isEmpty() ? given + punchOnce(sealed) : given;
        }

        private long punchOnce(SegmentLog.SegmentState sealed) throws IOException {
            if (waiting.isEmpty() && !storage.release().isMoving(segmentId)) {
                DeadBytes found = found(sealed);
                if (toPunch(found.bytes()) == 0) {
                    return 0;
                }
                // A sealed segment holds only applied entries: an entry without a row never gets
                // one.
                List<Range> dead =
                        found.inStream().isPresent()
                                ? found.inStream().get()
                                : holes.deadBlobPages(segmentId, storage.index()::isAt);
                // Entries that the cleaner moves look dead here, but are not until the index is
                // flushed. A pass that began after the read of the index has moved nothing that
                // this read saw.
                if (storage.release().isMoving(segmentId)) {
                    return 0;
                }
                PhasedCount.Grace lookupsNow = lookups.begin();
                waiting =
                        Optional.of(
                                new PendingPunch(
                                        dead, found.bytes(), lookupsNow, Optional.empty()));
            }
            if (waiting.isEmpty()) {
                return 0;
            }
            PendingPunch now = waiting.get().next(holes, segmentId);
            waiting = Optional.of(now);
            if (!now.isOver()) {
                return 0;
            }
            waiting = Optional.empty();
            return punch(now);
        }

        private long punch(PendingPunch ready) throws IOException {
            long before = holeBytes(segmentId);
            isRefused |= !holes.punch(segmentId, ready.dead());
            settledBytes = ready.deadBytes();
            long given = Math.max(0, holeBytes(segmentId) - before);
            punched.add(given);
            return given;
        }
    }
}
