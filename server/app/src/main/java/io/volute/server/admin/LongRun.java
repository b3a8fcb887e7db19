package io.volute.server.admin;

import io.volute.adminapi.CheckApi.Run;
import io.volute.adminapi.Words;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A long task that the server runs for an operator. At most one run is in progress, on its own
 * thread. The result of the last run is kept until the next begins. Thread-safe; its monitor guards
 * what subclasses add.
 */
abstract class LongRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LongRun.class);

    /** The state of the latest run. */
    private enum State {
        NONE,
        RUNNING,
        FINISHED,
        STOPPED,
        FAILED
    }

    /** The work of one run. */
    interface Work {
        /** Returns whether it came to its end; false when it was stopped. */
        boolean run() throws IOException;
    }

    private final String name;
    private final InstantSource clock;
    private State state = State.NONE;
    private long number;
    private Optional<Instant> started = Optional.empty();
    private String failure = "";
    private Thread thread = Thread.ofVirtual().unstarted(() -> {});
    private boolean isStopped;
    private boolean isClosed;

    LongRun(String name, InstantSource clock) {
        this.name = name;
        this.clock = clock;
    }

    /** Why there cannot be another one now. */
    abstract AdminException inProgress();

    /** Forgets what the last one found. */
    abstract void forget();

    /** Returns the amount of findings, for the log. */
    abstract String found();

    /**
     * Begins.
     *
     * @throws AdminException when one is running
     */
    final synchronized void begin(Work work) {
        if (state == State.RUNNING || isClosed) {
            throw inProgress();
        }
        state = State.RUNNING;
        number++;
        started = Optional.of(clock.instant());
        failure = "";
        isStopped = false;
        forget();
        thread = Thread.ofVirtual().name(name).start(() -> run(work));
    }

    private void run(Work work) {
        try {
            end(work.run());
        } catch (IOException e) {
            if (isStopped()) {
                // Work without another way to end early ends with this exception.
                LOG.debug("the {} ends by an exception", name, e);
                end(false);
            } else {
                fail(e);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private synchronized void end(boolean isComplete) {
        state = isComplete ? State.FINISHED : State.STOPPED;
        LOG.info("{} {}: {}", name, Words.of(state), found());
    }

    private synchronized void fail(Exception e) {
        LOG.error("the {} failed", name, e);
        state = State.FAILED;
        failure = String.valueOf(e.getMessage());
    }

    final synchronized boolean isStopped() {
        return isStopped;
    }

    /** Stops a run in progress soon, if there is one. */
    final synchronized void cancel() {
        isStopped = true;
    }

    /** Returns whether there has been one. */
    final synchronized boolean hasBegun() {
        return state != State.NONE;
    }

    /** Returns the state of the latest one. */
    final synchronized Run run() {
        return new Run(
                Words.of(state),
                hasBegun() ? OptionalLong.of(number) : OptionalLong.empty(),
                started,
                state == State.FAILED ? Optional.of(failure) : Optional.empty());
    }

    /** Stops a running one, and waits for its end. */
    @Override
    public final void close() throws InterruptedException {
        Thread running;
        synchronized (this) {
            isStopped = true;
            isClosed = true;
            running = thread;
        }
        if (running.isAlive()) {
            running.join();
        }
    }
}
