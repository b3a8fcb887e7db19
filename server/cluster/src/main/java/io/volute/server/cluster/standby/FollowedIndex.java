package io.volute.server.cluster.standby;

import io.volute.server.metrics.StandbyFigures;
import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.State;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standby index of one cube. A thread follows with it, and another one can close it, when this
 * node opens the cube. Thread-safe.
 */
final class FollowedIndex implements Cubes.Standby {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedIndex.class);

    /** First pause behind a failed step, and the longest: each one doubles it. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long RETRY_NANOS_LAST = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final Cubes.Standby index;
    private final LongSupplier nanos;

    /** Time since which it is followed. */
    private final long since;

    /** Held while the index is used. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean isStopped;
    private boolean isClosed;
    private String failure = "";
    private long notBefore;
    private long retryNanos = RETRY_NANOS;

    FollowedIndex(String name, Cubes.Standby index, LongSupplier nanos) {
        this.name = name;
        this.index = index;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
        this.notBefore = since;
    }

    @Override
    public UUID cubeId() {
        return index.cubeId();
    }

    @Override
    public StandbyReport report() {
        return index.report();
    }

    StandbyFigures figures() {
        StandbyReport now = index.report();
        long lag = nanos.getAsLong() - now.completeAt().orElse(since);
        return new StandbyFigures(
                now.state() == State.FOLLOWING, lag / 1e9, now.behindBytes(), now.builds());
    }

    /** Follows the log, unless the last step failed and the pause behind it is not over. */
    void tryStep() {
        long begun = nanos.getAsLong();
        if (begun - notBefore < 0) {
            return;
        }
        State before = report().state();
        try {
            step();
            if (before != State.FOLLOWING && report().state() == State.FOLLOWING) {
                LOG.info("the standby of cube {} follows its owner", name);
            }
            failure = "";
        } catch (IOException | RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            if (!isStopped && !why.equals(failure)) {
                LOG.warn("the standby of cube {} tries again: {}", name, why);
            }
            failure = why;
        }
        if (!failure.isEmpty() || report().state() == State.BUILDING) {
            notBefore = nanos.getAsLong() + retryNanos;
            retryNanos = Math.min(2 * retryNanos, RETRY_NANOS_LAST);
        } else {
            retryNanos = RETRY_NANOS;
        }
    }

    @Override
    public void step() throws IOException {
        lock.lock();
        try {
            if (!isClosed) {
                index.step();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Cube> view(Instant complete) {
        lock.lock();
        try {
            return isClosed ? Optional.empty() : index.view(complete);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        isStopped = true;
        index.stop();
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (!isClosed) {
                isClosed = true;
                index.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
