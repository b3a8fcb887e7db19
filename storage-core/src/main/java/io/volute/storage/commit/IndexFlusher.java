package io.volute.storage.commit;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Flushes the index when enough has happened since the last flush: enough log to replay, or enough
 * segments that a flush would set free. It has a thread of its own, so that commits go on
 * meanwhile. {@link IdleIndexMerger} merges the index while the cube is idle.
 */
public final class IndexFlusher {
    /**
     * Number of dead segments, or of segments' worth of abandoned bytes, that are worth a flush.
     */
    static final int DEAD_SEGMENTS = 4;

    private final CubeStorage storage;
    private final GroupCommit commits;
    private final CubeHealth health;
    private final long flushLogBytes;
    private final long deadBytesMax;
    private final Thread thread;
    private final IdleIndexMerger rest;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long logBytes;
    private long deadBytes;
    private int deadSegments;
    private boolean requested;
    private boolean stopped;

    /** The frees that follow the last flush; written by the flushing thread, read by any. */
    private volatile CompletableFuture<Void> freed = CompletableFuture.completedFuture(null);

    /** Creates a flusher whose threads are not started yet. */
    public IndexFlusher(
            CubeStorage storage,
            GroupCommit commits,
            CubeHealth health,
            LogSettings settings,
            CubeThreads threads) {
        this.storage = storage;
        this.commits = commits;
        this.health = health;
        this.flushLogBytes = settings.indexFlushLogBytes();
        this.deadBytesMax = (long) settings.segmentBytes() * DEAD_SEGMENTS;
        this.thread = threads.newThread("index-flush-0", this::run);
        this.rest = new IdleIndexMerger(storage.index().merging(), commits::commits, threads);
    }

    public void start() {
        thread.start();
        rest.start();
    }

    /** Counts a commit. */
    public void committed(long bytes, int emptiedSegments) {
        lock.lock();
        try {
            logBytes += bytes;
            deadSegments += emptiedSegments;
            wakeWhenDue();
        } finally {
            lock.unlock();
        }
    }

    /** Counts abandoned bytes of a stream segment, which no record will ever refer to. */
    public void abandoned(long bytes) {
        lock.lock();
        try {
            deadBytes += bytes;
            wakeWhenDue();
        } finally {
            lock.unlock();
        }
    }

    /** Requests a flush soon, whatever happened. */
    void request() {
        lock.lock();
        try {
            requested = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Requests a flush soon if it sets anything free. */
    public void requestIfAnyDead() {
        if (!candidates().isEmpty()) {
            request();
        }
    }

    private void wakeWhenDue() {
        if (logBytes >= flushLogBytes
                || deadBytes >= deadBytesMax
                || deadSegments >= DEAD_SEGMENTS) {
            requested = true;
            changed.signalAll();
        }
    }

    /** Waits for a flush that is under way, and begins no other. */
    public void stop() {
        rest.stop();
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        UninterruptibleJoin.join(thread);
    }

    private void run() {
        try {
            while (awaitRequest()) {
                freed = flush();
            }
        } catch (IOException | RuntimeException e) {
            health.failed("the index could not be flushed", e);
        }
    }

    private boolean awaitRequest() {
        lock.lock();
        try {
            while (!requested && !stopped) {
                changed.awaitUninterruptibly();
            }
            requested = false;
            logBytes = 0;
            deadBytes = 0;
            deadSegments = 0;
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Flushes the index, then frees the segments that were dead before.
     *
     * @return completes when the segments are free
     */
    public CompletableFuture<Void> flush() throws IOException {
        if (!health.isHealthy()) {
            return freed;
        }
        Set<Long> dead = candidates();
        storage.index().flush();
        return dead.isEmpty() ? CompletableFuture.completedFuture(null) : commits.free(dead);
    }

    private Set<Long> candidates() {
        return storage.release().candidates(commits.applied());
    }
}
