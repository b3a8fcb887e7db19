package io.volute.storage.cube;

import io.volute.storage.CleaningSettings;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.SpaceReport;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combined cleaning: takes segments that nobody else cleans, has a pass copy what is needed of
 * them, and sees them freed. Thread-safe; every thread that calls works on segments of its own.
 */
final class Cleaner {
    private static final Logger LOG = LoggerFactory.getLogger(Cleaner.class);

    /**
     * Segments that one pass fills at most. A pass that fills k segments must clean k + 1 at least,
     * so it wins something only from segments that are needed to at most k / (k + 1): the more of
     * them, the fuller they may be.
     */
    private static final int PASS_SEGMENTS_MAX = 32;

    private static final int PASS_SEGMENTS_MIN = 8;

    /** Bounds the memory of a pass, which sorts the places of all needed entries. */
    private static final long PASS_BYTES = 512L << 20;

    /** Share of a survivor that is lost to padding and at its end, and what its head takes. */
    private static final int GAP_SHARE = 32;

    private static final int GAP_BYTES_MIN = 16 << 10;

    /** What the cleaner works on. */
    record Parts(
            SegmentLog log,
            CubeIndex index,
            SegmentAccounts accounts,
            SegmentRelease release,
            CleaningPass.Relocator relocator,
            IndexFlusher flusher,
            Supplier<LogPosition> applied,
            long segmentBytes,
            CleaningSettings settings) {}

    private final Parts parts;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Long> busy = new HashSet<>();

    /** Segments that running passes may fill. */
    private long promised;

    private final Set<Long> damaged = new HashSet<>();

    /** Of survivors, when objects' age counts: when what is in them was written. */
    private final Map<Long, Birth> births = new HashMap<>();

    private final LongAdder passes = new LongAdder();
    private final LongAdder freedSegments = new LongAdder();
    private final LongAdder copiedBytes = new LongAdder();

    /** Bytes, and the sum over them of the segments that they were first written to. */
    private record Birth(long bytes, double sum) {
        Birth plus(Birth more) {
            return new Birth(bytes + more.bytes, sum + more.sum);
        }
    }

    Cleaner(Parts parts) {
        this.parts = parts;
    }

    /**
     * What a pass takes.
     *
     * @param filled segments, as far as one can say before
     */
    private record Taken(SegmentChooser.Choice choice, long filled) {}

    /** Counters since start; {@code damaged} segments were met with damage and are kept. */
    record Totals(long passes, long freedSegments, long copiedBytes, int damaged) {}

    Totals totals() {
        lock.lock();
        try {
            return new Totals(passes.sum(), freedSegments.sum(), copiedBytes.sum(), damaged.size());
        } finally {
            lock.unlock();
        }
    }

    /**
     * One pass, when it frees at least one segment more than it fills.
     *
     * @return bytes of files that became free, less those that were filled; 0 when nothing was
     *     worth it
     */
    long clean(CleaningPass.Pace pace) throws IOException {
        Optional<Taken> taken = take();
        if (taken.isEmpty()) {
            return 0;
        }
        try {
            return clean(taken.get().choice().segments(), pace);
        } finally {
            keepPromise(taken.get().filled());
        }
    }

    private void keepPromise(long filled) {
        lock.lock();
        try {
            promised -= filled;
        } finally {
            lock.unlock();
        }
    }

    /** One pass over these segments, which the caller has taken. */
    private long clean(Set<Long> segments, CleaningPass.Pace pace) throws IOException {
        CleaningPass pass =
                new CleaningPass(parts.log(), parts.index(), this::relocate, pace, segments);
        try {
            CleaningPass.Result result = run(pass, segments);
            parts.release().cleaned(segments);
            Joining.join(parts.flusher().flush());
            passes.increment();
            freedSegments.add(segments.size());
            copiedBytes.add(result.written());
            LOG.debug("cleaned {}: {}", segments, result);
            return segments.size() * parts.segmentBytes() - result.written();
        } catch (DamagedException e) {
            keepDamaged(pass.at(), e);
            return 0;
        } catch (SegmentGoneException e) {
            // It was wholly dead and has been freed meanwhile: as good as cleaned.
            LOG.debug("not cleaned: {}", e.getMessage());
            return parts.segmentBytes();
        } finally {
            giveBack(segments);
        }
    }

    private Relocation.Moved relocate(Relocation.Batch batch) throws IOException {
        if (parts.settings().age() == CleaningSettings.Age.OBJECT) {
            lock.lock();
            try {
                for (Place from : batch.from()) {
                    Birth born = new Birth(from.bytes(), from.bytes() * born(from.segmentId()));
                    births.merge(batch.survivor(), born, Birth::plus);
                }
            } finally {
                lock.unlock();
            }
        }
        return parts.relocator().relocate(batch);
    }

    private double born(long segment) {
        Birth known = births.get(segment);
        return known == null ? segment : known.sum() / known.bytes();
    }

    private CleaningPass.Result run(CleaningPass pass, Set<Long> segments) throws IOException {
        parts.release().cleaningBegins(segments);
        try {
            return pass.run();
        } finally {
            parts.release().cleaningEnded(segments);
        }
    }

    private void keepDamaged(long segment, DamagedException damage) {
        LOG.error("segment {} is kept uncleaned: {}", segment, damage.getMessage());
        lock.lock();
        try {
            damaged.add(segment);
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(Set<Long> segments) {
        lock.lock();
        try {
            busy.removeAll(segments);
            births.keySet().removeIf(parts.release()::isCleaned);
        } finally {
            lock.unlock();
        }
    }

    /**
     * One pass over some segments, whatever it frees.
     *
     * @param segments those of them that may be cleaned now are
     */
    long cleanThese(Set<Long> segments, CleaningPass.Pace pace) throws IOException {
        Set<Long> taken = new HashSet<>(segments);
        lock.lock();
        try {
            Set<Long> possible = new HashSet<>();
            candidates().forEach(each -> possible.add(each.segmentId()));
            taken.retainAll(possible);
            busy.addAll(taken);
        } finally {
            lock.unlock();
        }
        return taken.isEmpty() ? 0 : clean(taken, pace);
    }

    private Optional<Taken> take() {
        lock.lock();
        try {
            long filledMax = filledMax();
            if (filledMax <= 0) {
                return Optional.empty();
            }
            long fits =
                    parts.segmentBytes()
                            - Math.max(parts.segmentBytes() / GAP_SHARE, GAP_BYTES_MIN);
            SegmentChooser.Choice choice =
                    SegmentChooser.choose(
                            candidates(), parts.log().nextSegmentId(), filledMax * fits);
            long filled = (choice.needed() + fits - 1) / fits;
            if (choice.segments().size() <= filled) {
                return Optional.empty();
            }
            busy.addAll(choice.segments());
            promised += filled;
            return Optional.of(new Taken(choice, filled));
        } finally {
            lock.unlock();
        }
    }

    /**
     * What is free but not reserved may be gone before a pass ends, and a pass that finds no room
     * has moved much and frees nothing. So it plans with the reserve, of which one may become a
     * head that takes tombstones, or with half of what clients have if that is more.
     */
    private long filledMax() {
        long room = parts.log().cleanerBytes() / parts.segmentBytes();
        long clients = parts.log().clientBytes() / parts.segmentBytes();
        int reserve = parts.settings().reserveSegments();
        long pass =
                Math.clamp(PASS_BYTES / parts.segmentBytes(), PASS_SEGMENTS_MIN, PASS_SEGMENTS_MAX);
        long planned = reserve == 0 ? room : Math.max(reserve - 1, clients / 2);
        return Math.min(pass, Math.min(planned, room) - promised);
    }

    private List<SegmentChooser.Candidate> candidates() {
        List<SegmentChooser.Candidate> candidates = new ArrayList<>();
        LogPosition applied = parts.applied().get();
        for (SegmentLog.SegmentState segment : parts.log().segments()) {
            long id = segment.segmentId();
            boolean isReplayed =
                    segment.kind() != SpaceReport.Kind.HEAD || id < applied.segmentId();
            if (segment.kind() != SpaceReport.Kind.STREAM
                    && segment.sealed()
                    && isReplayed
                    && !busy.contains(id)
                    && !damaged.contains(id)
                    && !parts.release().isCleaned(id)
                    && parts.accounts().originsInLog(id).isEmpty()) {
                SegmentAccounts.Totals totals = parts.accounts().totals(id);
                candidates.add(
                        new SegmentChooser.Candidate(
                                id,
                                totals.live() + totals.tombstones(),
                                parts.segmentBytes(),
                                born(id)));
            }
        }
        return candidates;
    }
}
