package io.volute.storage.cube;

import io.volute.storage.DamagedException;
import io.volute.storage.SpaceReport;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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

    /** Segments' worth of needed bytes that one pass copies at most. */
    private static final int PASS_SEGMENTS = 4;

    /** What the cleaner works on. */
    record Parts(
            SegmentLog log,
            CubeIndex index,
            SegmentAccounts accounts,
            SegmentRelease release,
            CleaningPass.Relocator relocator,
            IndexFlusher flusher,
            Supplier<LogPosition> applied,
            long segmentBytes) {}

    private final Parts parts;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Long> busy = new HashSet<>();
    private final Set<Long> damaged = new HashSet<>();
    private final LongAdder passes = new LongAdder();
    private final LongAdder freedSegments = new LongAdder();
    private final LongAdder copiedBytes = new LongAdder();

    Cleaner(Parts parts) {
        this.parts = parts;
    }

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
        Optional<SegmentChooser.Choice> taken = take();
        return taken.isEmpty() ? 0 : clean(taken.get().segments(), pace);
    }

    /** One pass over these segments, which the caller has taken. */
    private long clean(Set<Long> segments, CleaningPass.Pace pace) throws IOException {
        CleaningPass pass =
                new CleaningPass(parts.log(), parts.index(), parts.relocator(), pace, segments);
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

    private Optional<SegmentChooser.Choice> take() {
        lock.lock();
        try {
            long room = parts.log().cleanerBytes() / parts.segmentBytes();
            if (room == 0) {
                return Optional.empty();
            }
            // Entries leave gaps at the ends of survivors.
            long neededMax = Math.min(PASS_SEGMENTS, room) * parts.segmentBytes() * 7 / 8;
            List<SegmentChooser.Candidate> candidates = candidates();
            SegmentChooser.Choice choice =
                    SegmentChooser.choose(candidates, parts.log().nextSegmentId(), neededMax);
            long filled = (choice.needed() + parts.segmentBytes() - 1) / parts.segmentBytes();
            if (choice.segments().size() <= filled) {
                return Optional.empty();
            }
            busy.addAll(choice.segments());
            return Optional.of(choice);
        } finally {
            lock.unlock();
        }
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
                                id, totals.live() + totals.tombstones(), parts.segmentBytes()));
            }
        }
        return candidates;
    }
}
