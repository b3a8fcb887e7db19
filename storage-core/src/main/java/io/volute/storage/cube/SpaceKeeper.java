package io.volute.storage.cube;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.SpaceDecision;
import io.volute.storage.SpaceDecision.Action;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps space free: asks the balancer whenever clients have written enough, cleans as long as it
 * says so, and holds writers back for a moment when they are faster. Thread-safe.
 *
 * <p>Pace: cleaning goes on batch by batch, each when clients have written as much as the last one
 * copied, or a short time has passed, so that it stays ahead of them and no faster; without any
 * wait once space is short.
 */
final class SpaceKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceKeeper.class);
    private static final long PACE_MILLIS_MAX = 20;
    private static final long ADMISSION_MILLIS_MAX = 900;
    private static final long BATCH_BYTES = 256 << 10;

    /** Segments that must be free for clients, or their writes wait. */
    private static final int AHEAD_SEGMENTS = 2;

    /** What it works on. */
    record Parts(
            Balancer balancer,
            Cleaner cleaner,
            SpaceFigures figures,
            LongSupplier clientBytes,
            CubeHealth health,
            int threads,
            long segmentBytes) {}

    private final Parts parts;
    private final List<Thread> workers = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicLong written = new AtomicLong();
    private long looks;
    private boolean stopped;
    private volatile boolean isTight;
    private volatile boolean isHopeless;
    private volatile SpaceDecision last;

    SpaceKeeper(Parts parts, CubeThreads threads) {
        this.parts = parts;
        this.last = new SpaceDecision(Action.NOTHING, 0, 0, 0, 0, 0, "not asked yet");
        for (int i = 0; i < parts.threads(); i++) {
            workers.add(threads.newThread("clean-" + i, this::run));
        }
    }

    void start() {
        isTight = parts.clientBytes().getAsLong() < AHEAD_SEGMENTS * parts.segmentBytes();
        workers.forEach(Thread::start);
        wake();
    }

    /** The last decision. */
    SpaceDecision last() {
        return last;
    }

    /** Clients wrote so much. */
    void written(long bytes) {
        long before = written.getAndAdd(bytes);
        long after = before + bytes;
        if (!workers.isEmpty() && before / BATCH_BYTES != after / BATCH_BYTES) {
            lock.lock();
            try {
                long often = Math.max(BATCH_BYTES, parts.segmentBytes() / 4);
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
        isTight = parts.clientBytes().getAsLong() < AHEAD_SEGMENTS * parts.segmentBytes();
    }

    /**
     * Waits while space is short and cleaning can help.
     *
     * @throws CubeUnavailableException BUSY when it does not become free soon
     */
    void admit() throws CubeUnavailableException {
        if (!isTight || workers.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(ADMISSION_MILLIS_MAX);
            while (isTight && !isHopeless && !stopped) {
                if (left <= 0) {
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

    /** How fast a pass goes now. */
    CleaningPass.Pace pace() {
        return new KeepAhead();
    }

    private final class KeepAhead implements CleaningPass.Pace {
        private long from = written.get();

        @Override
        public void await(int entries) {
            lock.lock();
            try {
                long left = TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS_MAX);
                while (!isTight && !stopped && left > 0 && written.get() - from < BATCH_BYTES) {
                    left = changed.awaitNanos(left);
                }
                from = written.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                lock.unlock();
            }
        }
    }

    private void run() {
        long seen = 0;
        try {
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
        } catch (RuntimeException e) {
            parts.health().failed("cleaning failed", e);
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
        try {
            SpaceDecision decision = parts.balancer().decide(parts.figures().now());
            last = decision;
            LOG.debug("{}: {}", decision.action(), decision.reason());
            long freed =
                    switch (decision.action()) {
                        case NOTHING -> 0;
                        case COMPACT -> parts.figures().compactAll();
                        case COMBINE -> parts.cleaner().clean(pace());
                    };
            if (decision.action() == Action.COMPACT && freed == 0) {
                // Readers hold what could be punched.
                freed = parts.cleaner().clean(pace());
            }
            isHopeless = decision.action() != Action.NOTHING && freed == 0;
            wakeWaiting();
            return freed > 0;
        } catch (CubeUnavailableException e) {
            LOG.debug("not cleaned: {}", e.getMessage());
        } catch (IOException e) {
            LOG.warn("cleaning is put off: {}", e.getMessage());
        }
        isHopeless = true;
        wakeWaiting();
        return false;
    }

    private void wakeWaiting() {
        lock.lock();
        try {
            isTight = parts.clientBytes().getAsLong() < AHEAD_SEGMENTS * parts.segmentBytes();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends after the pass at hand, which goes on without waiting for clients. */
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
