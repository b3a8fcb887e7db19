package io.volute.storage.cube;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Joining;
import io.volute.storage.SpaceDecision;
import io.volute.storage.Transaction;
import io.volute.storage.log.SegmentLog;
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
 *
 * <p>Pace: a pass goes on batch by batch, each when clients have written what the last one won, or
 * a short time has passed. The less is free, the faster: at a third of what was free when cleaning
 * began it wins as much as clients write, so that is where it settles, for waiting makes segments
 * emptier; without any wait once space is short.
 */
final class SpaceKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceKeeper.class);
    private static final long PACE_MILLIS_MAX = 20;
    private static final long ADMISSION_MILLIS_MAX = 900;
    private static final long HOPELESS_MILLIS = 50;
    private static final long CATCH_UP_BYTES = 256 << 10;
    private static final long SIGNAL_BYTES = 64 << 10;

    /** Entries that the index takes of the cleaner at once: one for so many bytes of a commit. */
    private static final int PIECE_OF_COMMIT_BYTES = 32;

    private static final int PIECE_MIN = 64;
    private static final int PIECE_MAX = 512;
    private static final double SPEED_MIN = 0.1;
    private static final double SPEED_MAX = 1.5;

    /** Segments that must be free for clients, or their writes wait. */
    static final int AHEAD_SEGMENTS = 2;

    /** What it works on. */
    record Parts(
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
    private final AtomicInteger working = new AtomicInteger();
    private volatile SpaceDecision last;
    private final Map<SpaceDecision.Reason, LongAdder> decisions =
            new EnumMap<>(SpaceDecision.Reason.class);
    private final LongAdder waits = new LongAdder();
    private final LongAdder refused = new LongAdder();

    SpaceKeeper(Parts parts, CubeThreads threads) {
        this.parts = parts;
        this.last = SpaceDecision.none("not asked yet");
        for (SpaceDecision.Reason reason : SpaceDecision.Reason.values()) {
            decisions.put(reason, new LongAdder());
        }
        for (int i = 0; i < parts.threads(); i++) {
            workers.add(threads.newThread("clean-" + i, this::run));
        }
    }

    void start() {
        measure();
        workers.forEach(Thread::start);
        wake();
    }

    /** The last decision. */
    SpaceDecision last() {
        return last;
    }

    /** How often each was the reason. */
    Map<SpaceDecision.Reason, Long> decisions() {
        Map<SpaceDecision.Reason, Long> counts = new EnumMap<>(SpaceDecision.Reason.class);
        decisions.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

    /** Writes that waited for space. */
    long waits() {
        return waits.sum();
    }

    /** Writes that got none. */
    long refused() {
        return refused.sum();
    }

    /** A batch of so many bytes was committed. By the committing thread. */
    void committed(long bytes) {
        commitBytes = commitBytes + (bytes - commitBytes) / 8;
        written(bytes);
    }

    /** Clients wrote so much. */
    void written(long bytes) {
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
    void wake() {
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
    void admit(SegmentLog.Claim claim) throws CubeUnavailableException {
        if (!isTight(claim) || workers.isEmpty()) {
            return;
        }
        waits.increment();
        lock.lock();
        try {
            if (isHopeless) {
                // What was deleted since may have changed that.
                look();
                changed.signalAll();
                changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(HOPELESS_MILLIS));
            }
            long left = TimeUnit.MILLISECONDS.toNanos(ADMISSION_MILLIS_MAX);
            while (isTight(claim) && !isHopeless && !stopped) {
                if (left <= 0) {
                    refused.increment();
                    throw new CubeUnavailableException(
                            Reason.BUSY,
                            "writes come faster than space is reclaimed: try again in a moment");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CubeUnavailableException(
                    Reason.CLOSED, "interrupted while waiting for space");
        } finally {
            lock.unlock();
        }
    }

    /** The same for a transaction; one that changes nothing needs no room. */
    void admit(Transaction transaction) throws CubeUnavailableException {
        if (!transaction.changes().isEmpty()) {
            admit(transaction.makesRoom() ? SegmentLog.Claim.DELETE : SegmentLog.Claim.CLIENT);
        }
    }

    /**
     * Tells the cleaner that somebody found no room.
     *
     * @return what to tell the client: to try again, as long as cleaning may help
     */
    CubeUnavailableException noRoom(CubeUnavailableException full) {
        refused.increment();
        if (workers.isEmpty()) {
            return full;
        }
        wake();
        if (isHopeless) {
            return full;
        }
        CubeUnavailableException busy =
                new CubeUnavailableException(
                        Reason.BUSY, "space is being reclaimed: try again in a moment");
        busy.initCause(full);
        return busy;
    }

    /** How fast a pass goes now. */
    CleaningPass.Pace pace() {
        return new KeepAhead();
    }

    private final class KeepAhead implements CleaningPass.Pace {
        private long seen = written.get();
        private double wonPerCopied = 1;

        @Override
        public void begin(long copied, long won) {
            wonPerCopied = (double) won / Math.max(1, copied);
        }

        @Override
        public void await(long bytes) throws CubeUnavailableException {
            lock.lock();
            try {
                if (stopped) {
                    throw new CubeUnavailableException(Reason.CLOSED, "the cube is closing");
                }
                measure();
                long due = seen + (long) (bytes * wonPerCopied / speed());
                long left = TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS_MAX);
                while (!isTight(SegmentLog.Claim.CLIENT)
                        && !stopped
                        && left > 0
                        && written.get() < due) {
                    left = changed.awaitNanos(left);
                }
                // Who was late may catch up a little.
                seen = Math.max(Math.min(due, written.get()), written.get() - CATCH_UP_BYTES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                lock.unlock();
            }
        }

        /** Small commits are not held up for long; larger ones leave the cleaner as much time. */
        @Override
        public int entriesEnough() {
            return Math.clamp(commitBytes / PIECE_OF_COMMIT_BYTES, PIECE_MIN, PIECE_MAX);
        }

        @Override
        public boolean copiesMeanwhile() {
            return true;
        }

        /** Bytes to win for a byte that clients write. */
        private double speed() {
            double cushion = Math.max(1, parts.balancer().cushion(last));
            long room = clientRoom - AHEAD_SEGMENTS * parts.segmentBytes();
            // More room than when cleaning begins for want of space: it began for something else.
            return room > cushion
                    ? SPEED_MAX
                    : Math.max(SPEED_MIN, SPEED_MAX * (1 - room / cushion));
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
    void stop() {
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
