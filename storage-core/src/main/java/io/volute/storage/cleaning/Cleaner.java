package io.volute.storage.cleaning;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.commit.GroupCommit;
import io.volute.storage.commit.IndexFlusher;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.commit.Relocation;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combined cleaning: chooses segments that no other thread cleans, runs a pass over them, and keeps
 * the totals. Thread-safe; each calling thread works on segments of its own.
 */
public final class Cleaner {
    private static final Logger LOG = LoggerFactory.getLogger(Cleaner.class);

    /** Greatest number of survivors that one pass fills. More of them sort better by age. */
    private static final int PASS_SEGMENTS_MAX = 32;

    private static final int PASS_SEGMENTS_MIN = 8;

    /**
     * Bytes that one pass fills. They bound the memory of a pass, which sorts the places of all
     * needed entries.
     */
    private static final long PASS_BYTES = 512L << 20;

    private final CubeStorage storage;
    private final RecentChanges changes;
    private final GroupCommit commits;
    private final IndexFlusher flusher;
    private final CleaningSettings settings;
    private final long segmentBytes;
    private final SegmentChooser chooser;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Long> busy = new HashSet<>();

    private final Set<Long> damaged = new HashSet<>();

    /** Birth of the content of survivors, for the age of objects. */
    private final Map<Long, Birth> births = new HashMap<>();

    private final LongAdder passes = new LongAdder();
    private final LongAdder freedSegments = new LongAdder();
    private final LongAdder copiedBytes = new LongAdder();

    /**
     * The bytes of a survivor, and the sum over them of the ids of the segments that they were
     * first written to.
     */
    private record Birth(long bytes, double sum) {
        Birth plus(Birth more) {
            return new Birth(bytes + more.bytes, sum + more.sum);
        }
    }

    Cleaner(
            CubeStorage storage,
            RecentChanges changes,
            GroupCommit commits,
            IndexFlusher flusher,
            LogSettings settings) {
        this.storage = storage;
        this.changes = changes;
        this.commits = commits;
        this.flusher = flusher;
        this.settings = settings.cleaning();
        this.segmentBytes = settings.segmentBytes();
        this.chooser = new SegmentChooser(segmentBytes);
    }

    /** The counters since the cube was opened. {@code damaged} segments had damage and are kept. */
    public record Totals(long passes, long freedSegments, long copiedBytes, int damaged) {}

    public Totals totals() {
        lock.lock();
        try {
            return new Totals(passes.sum(), freedSegments.sum(), copiedBytes.sum(), damaged.size());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs one pass, when it frees more than it fills.
     *
     * @return bytes of files that became free, less those that were filled; 0 when no pass was
     *     worth it
     */
    public long clean(CleaningPass.Pace pace) throws IOException {
        Optional<SegmentChooser.Choice> taken = take();
        if (taken.isEmpty()) {
            return 0;
        }
        pace.begin(taken.get().needed(), taken.get().won());
        return clean(taken.get(), pace);
    }

    /** Runs one pass over segments that are taken. */
    private long clean(SegmentChooser.Choice taken, CleaningPass.Pace pace) throws IOException {
        Set<Long> segments = taken.segments();
        CleaningPass pass =
                new CleaningPass(storage, changes, this::relocate, flusher, pace, taken);
        // Measured now: segments that are wholly dead at the end may be freed by other threads
        // before.
        Map<Long, Long> winnable = winnable(segments);
        try {
            CleaningPass.Result result = pass.run();
            long freed =
                    result.origins().stream()
                            .mapToLong(each -> winnable.getOrDefault(each, 0L))
                            .sum();
            passes.increment();
            freedSegments.add(result.origins().size());
            copiedBytes.add(result.written());
            LOG.debug("cleaned {}", result);
            return freed - result.written();
        } catch (DamagedException e) {
            keepDamaged(pass.at(), e);
            return 0;
        } catch (SegmentGoneException e) {
            // The segment was wholly dead and has been freed meanwhile: as good as cleaned.
            LOG.debug("not cleaned: {}", e.getMessage());
            return segmentBytes;
        } finally {
            storage.log().passEnded(taken.filled(), pass.survivors());
            giveBack(segments);
        }
    }

    /** Returns the bytes to win of each segment that is in the log. */
    private Map<Long, Long> winnable(Set<Long> segments) {
        Map<Long, Long> winnable = new HashMap<>();
        for (SegmentLog.SegmentState each : storage.log().segments()) {
            if (segments.contains(each.segmentId())) {
                winnable.put(each.segmentId(), winnable(each));
            }
        }
        return winnable;
    }

    /**
     * Returns the bytes to win of a segment. Without holes, cleaning does not win the unused end of
     * a survivor: the next survivor has one, too.
     */
    private static long winnable(SegmentLog.SegmentState segment) {
        return segment.kind() == SpaceReport.Kind.SURVIVOR
                ? Math.min(segment.takenBytes(), segment.writtenBytes())
                : segment.takenBytes();
    }

    private CompletableFuture<Relocation.Moved> relocate(Relocation.Batch batch) {
        if (settings.age() == CleaningSettings.Age.OBJECT) {
            lock.lock();
            try {
                for (Relocation.Moving moving : batch.moving()) {
                    Place from = moving.from();
                    Birth born = new Birth(from.bytes(), from.bytes() * born(from.segmentId()));
                    births.merge(batch.survivor(), born, Birth::plus);
                }
            } finally {
                lock.unlock();
            }
        }
        return commits.relocate(batch);
    }

    private double born(long segment) {
        Birth known = births.get(segment);
        return known == null ? segment : known.sum() / known.bytes();
    }

    private void keepDamaged(long segment, DamagedException damage) {
        LOG.error("segment {} is damaged and stays uncleaned: {}", segment, damage.getMessage());
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
            births.keySet().removeIf(storage.release()::isCleaned);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs one pass over given segments, whatever it frees.
     *
     * @param segments the pass takes those of them that may be cleaned now
     */
    public long cleanThese(Set<Long> segments, CleaningPass.Pace pace) throws IOException {
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
        long needed = winnable(taken).values().stream().mapToLong(Long::longValue).sum();
        return taken.isEmpty()
                ? 0
                : clean(new SegmentChooser.Choice(taken, needed, needed, 0, 0), pace);
    }

    private Optional<SegmentChooser.Choice> take() {
        lock.lock();
        try {
            long filledMax = filledMax();
            if (filledMax <= 0) {
                return Optional.empty();
            }
            Optional<SegmentChooser.Choice> choice =
                    chooser.choose(candidates(), storage.log().nextSegmentId(), filledMax);
            choice.ifPresent(
                    taken -> {
                        busy.addAll(taken.segments());
                        storage.log().passBegins(taken.filled());
                    });
            return choice;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the number of survivors that a pass may fill. It plans with the reserve, of which one
     * segment may become a head that takes tombstones, or with half of the clients' space if that
     * is more. Clients have the other half until the pass ends.
     */
    private long filledMax() {
        long room = storage.log().cleanerBytes() / segmentBytes;
        long clients = storage.log().clientBytes() / segmentBytes;
        int reserve = settings.reserveSegments();
        long pass = Math.clamp(PASS_BYTES / segmentBytes, PASS_SEGMENTS_MIN, PASS_SEGMENTS_MAX);
        long planned = reserve == 0 ? room : Math.min(Math.max(reserve - 1, clients / 2), room - 1);
        return Math.min(pass, planned - storage.log().promisedSegments());
    }

    private List<SegmentChooser.Candidate> candidates() {
        List<SegmentChooser.Candidate> candidates = new ArrayList<>();
        LogPosition applied = commits.applied();
        for (SegmentLog.SegmentState segment : storage.log().segments()) {
            long id = segment.segmentId();
            boolean isReplayed =
                    segment.kind() != SpaceReport.Kind.HEAD || id < applied.segmentId();
            if (segment.kind() != SpaceReport.Kind.STREAM
                    && segment.sealed()
                    && isReplayed
                    && !busy.contains(id)
                    && !damaged.contains(id)
                    && !storage.release().isCleaned(id)
                    && storage.accounts().originsInLog(id).isEmpty()) {
                SegmentAccounts.Totals totals = storage.accounts().totals(id);
                candidates.add(
                        new SegmentChooser.Candidate(
                                id,
                                totals.live() + totals.tombstones(),
                                winnable(segment),
                                born(id)));
            }
        }
        return candidates;
    }
}
