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
 * Level one of cleaning on the SSD: gives the dead pages of a sealed segment back to the file
 * system, without a byte of log. Thread-safe; never waits for a reader.
 *
 * <ol>
 *   <li>The segment is sealed: nothing is written to it any more, so what is dead stays dead. The
 *       cleaner takes nothing over from it, nor is it a survivor with origins in the log.
 *   <li>What is uploaded, then what is live, is looked up; the rest is dead. The index learns of a
 *       death only after it is durable in the log. After a crash here: nothing has happened.
 *   <li>Whoever looked a blob up before has pinned its segments or given up; then whoever had
 *       pinned this segment has let go. Until then {@link #compact} says 0 and is called again.
 *   <li>The pages are punched. After a crash here: any part of them may be zeros. An older index
 *       that still knows the blobs replays their death before it is read; a scan finds holes where
 *       dead inline blobs were ({@link io.volute.storage.format.HoledBatch}).
 * </ol>
 *
 * <p>Holes are not counted but measured by the log, so the figures are exact after any crash.
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
    private final Map<Long, Work> works = new ConcurrentHashMap<>();
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
     * Punches what is dead in a segment, or what was dead at an earlier call and may be punched
     * only now.
     *
     * @return bytes given back by this call; 0 when readers must end first (call again), another
     *     thread works on the segment, it is not sealed or not in the log, or the file system
     *     cannot
     * @throws IOException when a punch fails, or the cube takes no writes; nothing is lost
     */
    public long compact(long segmentId) throws IOException {
        health.requireWritable();
        Optional<SegmentLog.SegmentState> sealed = holes.sealed(segmentId);
        if (sealed.isEmpty() || isRefused) {
            return 0;
        }
        Work work = work(segmentId);
        if (!work.lock.tryLock()) {
            return 0;
        }
        try {
            return work.step(sealed.get());
        } catch (SegmentGoneException e) {
            // Better still: all of it comes back.
            return 0;
        } finally {
            work.lock.unlock();
        }
    }

    /**
     * Bytes that a compaction would give back as soon as readers allow it. Reads index rows of
     * stream segments and nothing of others.
     */
    public long punchable(long segmentId) {
        Optional<SegmentLog.SegmentState> sealed = holes.sealed(segmentId);
        if (sealed.isEmpty() || isRefused || storage.release().isMoving(segmentId)) {
            return 0;
        }
        return work(segmentId).toPunch(found(sealed.get()).bytes());
    }

    /** Returns the bytes that {@link #compactWorthwhile} would give back as readers allow it. */
    long punchableWorthwhile() {
        return worthwhile().mapToLong(Punchable::bytes).sum();
    }

    private record Punchable(long segmentId, long bytes) {}

    /**
     * Returns the segments that are worth compacting. Of head and survivor segments these are the
     * ones with much to give back: all of such a segment is read, each small hole costs a call, and
     * combined cleaning wins back what is not punched.
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
     * What is dead in a segment.
     *
     * @param inStream ranges of a stream segment; for others a scan must find them
     */
    private record Found(long bytes, Optional<List<Range>> inStream) {}

    private Found found(SegmentLog.SegmentState sealed) {
        if (sealed.kind() != SpaceReport.Kind.STREAM) {
            return new Found(storage.accounts().deadPages(sealed.segmentId()), Optional.empty());
        }
        List<Range> dead = deadInStream(sealed);
        return new Found(dead.stream().mapToLong(Range::bytes).sum(), Optional.of(dead));
    }

    /** Bytes given back since start. */
    public long punchedBytes() {
        return punched.sum();
    }

    /** Written bytes of a sealed segment that take no space any more, measured; 0 for others. */
    public long holeBytes(long segmentId) {
        return holes.holeBytes(segmentId);
    }

    /** Forgets segments that are not among these. */
    void retain(Set<Long> segments) {
        works.keySet().retainAll(segments);
    }

    private Work work(long segmentId) {
        return works.computeIfAbsent(segmentId, Work::new);
    }

    /** The segment must have been found sealed before: uploads first, then what is live. */
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
     * Dead ranges that readers may still look at.
     *
     * @param deadBytes of the segment; a dead blob that does not fit its checksum is not among the
     *     ranges
     */
    private record Waiting(
            List<Range> dead,
            long deadBytes,
            PhasedCount.Grace lookups,
            Optional<PhasedCount.Grace> readers) {

        /** The lookups end first: only then is every reader that they make pinned. */
        Waiting next(SegmentHoles holes, long segmentId) throws IOException {
            return readers.isEmpty() && lookups.hasEnded()
                    ? new Waiting(dead, deadBytes, lookups, Optional.of(holes.grace(segmentId)))
                    : this;
        }

        boolean isOver() {
            return readers.isPresent() && readers.get().hasEnded();
        }
    }

    /** One segment's compaction. */
    private final class Work {
        private final long segmentId;
        private final ReentrantLock lock = new ReentrantLock();
        private Optional<Waiting> waiting = Optional.empty();

        /** Dead bytes that were dealt with, whatever the file system made of it. */
        private volatile long settledBytes;

        Work(long segmentId) {
            this.segmentId = segmentId;
        }

        /** Of so many dead bytes, those that nobody has dealt with. */
        long toPunch(long deadBytes) {
            return Math.max(0, deadBytes - Math.max(holeBytes(segmentId), settledBytes));
        }

        long step(SegmentLog.SegmentState sealed) throws IOException {
            boolean isOld = waiting.isPresent();
            long given = punchOnce(sealed);
            // What died while it waited.
            return isOld && waiting.isEmpty() ? given + punchOnce(sealed) : given;
        }

        private long punchOnce(SegmentLog.SegmentState sealed) throws IOException {
            if (waiting.isEmpty() && !storage.release().isMoving(segmentId)) {
                Found found = found(sealed);
                if (toPunch(found.bytes()) == 0) {
                    return 0;
                }
                // A sealed segment holds only what was applied: who has no row never gets one.
                List<Range> dead =
                        found.inStream().isPresent()
                                ? found.inStream().get()
                                : holes.deadBlobPages(segmentId, storage.index()::isAt);
                // What the cleaner moves looks dead here, and is not until the index is flushed. A
                // pass that began after the look at the index has moved nothing that it saw.
                if (storage.release().isMoving(segmentId)) {
                    return 0;
                }
                PhasedCount.Grace lookupsNow = lookups.begin();
                waiting =
                        Optional.of(new Waiting(dead, found.bytes(), lookupsNow, Optional.empty()));
            }
            if (waiting.isEmpty()) {
                return 0;
            }
            Waiting now = waiting.get().next(holes, segmentId);
            waiting = Optional.of(now);
            if (!now.isOver()) {
                return 0;
            }
            waiting = Optional.empty();
            return punch(now);
        }

        private long punch(Waiting ready) throws IOException {
            long before = holeBytes(segmentId);
            isRefused |= !holes.punch(segmentId, ready.dead());
            settledBytes = ready.deadBytes();
            long given = Math.max(0, holeBytes(segmentId) - before);
            punched.add(given);
            return given;
        }
    }
}
