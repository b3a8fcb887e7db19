package io.volute.server;

import io.volute.storage.UninterruptibleJoin;
import io.volute.versioning.CheckpointRefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is looked after every so often, on a thread of its own, until it is closed. After a
 * failure it waits twice as long as before, up to a longest pause.
 */
public final class Upkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    /** A task that is repeated in the background. */
    public interface Task {
        /** Looks once whether there is something to do, and does it. */
        void look() throws IOException;

        /** Ends a look in progress soon. */
        default void stop() {}
    }

    /**
     * How often.
     *
     * @param first before the first look
     * @param usual between two looks
     * @param longest after failures
     */
    public record Pauses(Duration first, Duration usual, Duration longest) {
        public static final Duration FAILING = Duration.ofHours(1);

        /** Returns pauses with the usual one before the first look, too. */
        public static Pauses of(Duration usual) {
            return new Pauses(usual, usual, FAILING);
        }

        /** Returns the pause before the next look after this number of consecutive failures. */
        Duration after(int failures) {
            Duration next = usual;
            for (int i = 0; i < failures && next.compareTo(longest) < 0; i++) {
                next = next.multipliedBy(2);
            }
            return next.compareTo(longest) < 0 || failures == 0 ? next : longest;
        }
    }

    private final String name;
    private final Pauses pauses;
    private final Task task;
    private final Semaphore wakes = new Semaphore(0);
    private final Thread thread;
    private volatile boolean isClosing;

    private Upkeep(String name, Pauses pauses, Task task) {
        this.name = name;
        this.pauses = pauses;
        this.task = task;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    public static Upkeep start(String name, Pauses pauses, Task task) {
        Upkeep upkeep = new Upkeep(name, pauses, task);
        upkeep.thread.start();
        return upkeep;
    }

    /** Starts a look now, or another one after the look in progress. */
    public void wake() {
        wakes.release();
    }

    private void run() {
        try {
            int failures = 0;
            boolean isWoken = wakes.tryAcquire(pauses.first().toMillis(), TimeUnit.MILLISECONDS);
            while (!isClosing) {
                failures = isLooked(failures) ? 0 : failures + 1;
                Duration pause = pauses.after(failures);
                isWoken = wakes.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
                wakes.drainPermits();
            }
            LOG.debug("{} ended, woken: {}", name, isWoken);
        } catch (InterruptedException e) {
            LOG.error("{} was interrupted and ends", name);
        }
    }

    private boolean isLooked(int failures) {
        try {
            task.look();
            return true;
        } catch (CheckpointRefusedException e) {
            LOG.error("{}: {}", name, e.getMessage());
            return false;
        } catch (IOException | RuntimeException e) {
            if (!isClosing) {
                LOG.warn(
                        "{} failed, and is tried again in {}: {}",
                        name,
                        pauses.after(failures + 1),
                        e.getMessage());
            }
            return false;
        }
    }

    @Override
    public void close() {
        isClosing = true;
        task.stop();
        wakes.release();
        // No interrupt: it would close the files that are being read.
        UninterruptibleJoin.join(thread);
    }
}
