package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Joining;
import io.volute.storage.SpaceGiver;
import io.volute.storage.Transaction;
import io.volute.storage.commit.NoRoom;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceDecision;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps space free: asks the balancer whenever clients have written enough, cleans as long as it
 * says so, and holds writers back for a moment when they are faster. Thread-safe.
 */
public final class SpaceKeeper implements KeepAhead.Clients {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceKeeper.class);
    private static final long PACE_MILLIS_MAX = 20;
    private static final long ADMISSION_MILLIS_MAX = 900;
    private static final long STEP_MILLIS = 50;
    private static final long SIGNAL_BYTES = 64 << 10;

    /** Segments that must be free for clients, or their writes wait. */
    static final int AHEAD_SEGMENTS = 2;

    /** What it works on. */
    public record Parts(
            Balancer balancer,
            Cleaner cleaner,
            SpaceFigures figures,
            LongSupplier clientBytes,
            LongSupplier deleteBytes,
            CubeHealth health,
            int threads,
            long segmentBytes) {}

    private final Parts parts;
    private final List<Thread> workers = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicLong written = new AtomicLong();

    /** Of a commit, of late. */
    private volatile long commitBytes;

    private long looks;
    private boolean stopped;

    /** Bytes that are free for clients and for their deletes, as measured last. */
    private volatile long clientRoom;

    private volatile long deleteRoom;
    private volatile boolean isHopeless;
    private volatile SpaceGiver giver = isCleaningHelping -> false;
    private final AtomicInteger working = new AtomicInteger();
    private volatile SpaceDecision last;
    private final Map<SpaceDecision.Reason, LongAdder> decisions =
            new EnumMap<>(SpaceDecision.Reason.class);
    private final LongAdder waits = new LongAdder();
    private final LongAdder refused = new LongAdder();

    public SpaceKeeper(Parts parts, CubeThreads threads) {
        this.parts = parts;
        this.last = SpaceDecision.none("not asked yet");
        for (SpaceDecision.Reason reason : SpaceDecision.Reason.values()) {
            decisions.put(reason, new LongAdder());
        }
        for (int i = 0; i < parts.threads(); i++) {
            workers.add(threads.newThread("clean-" + i, this::run));
        }
    }

    /** Asked from here on when space is short. */
    public void whenShort(SpaceGiver use) {
        giver = use;
    }

    public void start() {
        measure();
        workers.forEach(Thread::start);
        wake();
    }

    /** The last decision. */
    SpaceDecision last() {
        return last;
    }

    /** How often each was the reason. */
    public Map<SpaceDecision.Reason, Long> decisions() {
        Map<SpaceDecision.Reason, Long> counts = new EnumMap<>(SpaceDecision.Reason.class);
        decisions.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

    /** Writes that waited for space. */
    public long waits() {
        return waits.sum();
    }

    /** Writes that got none. */
    public long refused() {
        return refused.sum();
    }

    /** A batch of so many bytes was committed. By the committing thread. */
    public void committed(long bytes) {
        commitBytes = commitBytes + (bytes - commitBytes) / 8;
        written(bytes);
    }

    /** Clients wrote so much. */
    public void written(long bytes) {
        long before = written.getAndAdd(bytes);
        long after = before + bytes;
        if (!workers.isEmpty() && before / SIGNAL_BYTES != after / SIGNAL_BYTES) {
            lock.lock();
            try {
                long often = Math.max(SIGNAL_BYTES, parts.segmentBytes() / 4);
                if (before / often != after / often) {
                    look();
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Something has been freed, or should be looked at. */
    public void wake() {
        lock.lock();
        try {
            look();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        looks++;
        measure();
    }

    private void measure() {
        clientRoom = parts.clientBytes().getAsLong();
        deleteRoom = parts.deleteBytes().getAsLong();
    }

    private boolean isTight(SegmentLog.Claim claim) {
        return switch (claim) {
            case CLIENT -> clientRoom < AHEAD_SEGMENTS * parts.segmentBytes();
            case DELETE -> deleteRoom < parts.segmentBytes();
            case LAST, CLEANER -> false;
        };
    }

    /**
     * Waits while space is short and cleaning can help; when it could not the last time, the write
     * goes on and finds out.
     *
     * @throws CubeUnavailableException BUSY when it does not become free soon
     */
    public void admit(SegmentLog.Claim claim) throws CubeUnavailableException {
        if (!isTight(claim) || workers.isEmpty()) {
            return;
        }
        waits.increment();
        lock.lock();
        try {
            if (isHopeless) {
                waitForLook(Long.MAX_VALUE);
            }
            long left = TimeUnit.MILLISECONDS.toNanos(ADMISSION_MILLIS_MAX);
            while (isTight(claim) && !stopped && mayHelp(claim)) {
                if (left <= 0) {
                    refused.increment();
                    throw new CubeUnavailableException(
                            Reason.BUSY,
                            "writes come faster than space is reclaimed: try again in a moment");
                }
                left = waitForLook(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CubeUnavailableException(
                    Reason.CLOSED, "interrupted while waiting for space");
        } finally {
            lock.unlock();
        }
    }

    /** Who lets go does it with deletes: those must not wait for that. */
    private boolean mayHelp(SegmentLog.Claim claim) {
        boolean isCleaningHelping = !isHopeless;
        boolean isLetGo = claim == SegmentLog.Claim.CLIENT && giver.spaceIsShort(isCleaningHelping);
        return isCleaningHelping || isLetGo;
    }

    /** Waits for a moment at most; returns what is left of the nanoseconds. */
    private long waitForLook(long left) throws InterruptedException {
        if (isHopeless) {
            // What was deleted since may have changed that.
            look();
            changed.signalAll();
        }
        long step = Math.min(left, TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS));
        return left - step + Math.max(0, changed.awaitNanos(step));
    }

    /** The same for a transaction; one that changes nothing needs no room. */
    public void admit(Transaction transaction) throws CubeUnavailableException {
        if (!transaction.changes().isEmpty()) {
            admit(transaction.makesRoom() ? SegmentLog.Claim.DELETE : SegmentLog.Claim.CLIENT);
        }
    }

    /**
     * Tells the cleaner that somebody found no room. Clients are to try again as long as cleaning
     * may help, or somebody lets something go.
     */
    public NoRoom noRoom(CubeUnavailableException full) {
        refused.increment();
        if (workers.isEmpty()) {
            return new NoRoom(full, true);
        }
        wake();
        boolean isLast = isHopeless;
        if (!mayHelp(SegmentLog.Claim.CLIENT)) {
            return new NoRoom(full, true);
        }
        CubeUnavailableException busy =
                new CubeUnavailableException(
                        Reason.BUSY, "space is being reclaimed: try again in a moment");
        busy.initCause(full);
        return new NoRoom(busy, isLast);
    }

    /** How fast a pass goes now. */
    CleaningPass.Pace pace() {
        return new KeepAhead(this);
    }

    @Override
    public long wrote() {
        return written.get();
    }

    @Override
    public double cushionLeft() {
        double cushion = Math.max(1, parts.balancer().cushion(last));
        return (clientRoom - AHEAD_SEGMENTS * parts.segmentBytes()) / cushion;
    }

    @Override
    public long commitBytes() {
        return commitBytes;
    }

    @Override
    public void awaitWritten(LongSupplier due) throws CubeUnavailableException {
        lock.lock();
        try {
            if (stopped) {
                throw new CubeUnavailableException(Reason.CLOSED, "the cube is closing");
            }
            measure();
            long enough = due.getAsLong();
            long left = TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS_MAX);
            while (!isTight(SegmentLog.Claim.CLIENT)
                    && !stopped
                    && left > 0
                    && written.get() < enough) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        parts.health().runUntilAsked("a cleaning thread", this::cleanUntilStopped);
    }

    private void cleanUntilStopped() {
        long seen = 0;
        while (parts.health().isHealthy()) {
            boolean isDone = !cleanOnce();
            if (isDone) {
                lock.lock();
                try {
                    while (looks == seen && !stopped) {
                        changed.awaitUninterruptibly();
                    }
                    seen = looks;
                } finally {
                    lock.unlock();
                }
            }
            if (isStopped()) {
                return;
            }
        }
    }

    private boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it is worth asking again at once. */
    private boolean cleanOnce() {
        working.incrementAndGet();
        long freed = 0;
        boolean isWanted = true;
        try {
            SpaceDecision decision = parts.balancer().decide(parts.figures().now());
            last = decision;
            decisions.get(decision.reason()).increment();
            LOG.debug("{}: {}", decision.action(), decision.words());
            isWanted = decision.action() != SpaceDecision.Action.NOTHING;
            freed =
                    switch (decision.action()) {
                        case NOTHING -> 0;
                        case COMPACT -> parts.figures().compactWorthwhile();
                        case COMBINE -> parts.cleaner().clean(pace());
                    };
            if (freed <= 0) {
                // Readers hold what could be punched, or nothing is worth copying.
                freed =
                        switch (decision.action()) {
                            case NOTHING -> 0;
                            case COMPACT -> parts.cleaner().clean(pace());
                            case COMBINE -> parts.figures().compactWorthwhile();
                        };
            }
        } catch (CubeUnavailableException e) {
            LOG.debug("not cleaned: {}", e.getMessage());
        } catch (IOException e) {
            LOG.warn("cleaning is put off: {}", e.getMessage());
        }
        boolean isAlone = working.decrementAndGet() == 0;
        // Where another thread is at work, it may have taken all that is worth it.
        isHopeless = isWanted && freed <= 0 && isAlone;
        wakeWaiting();
        return freed > 0;
    }

    private void wakeWaiting() {
        lock.lock();
        try {
            measure();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends between two batches of the pass at hand: what was moved is moved, the rest stays. */
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        workers.forEach(Joining::join);
    }
}
