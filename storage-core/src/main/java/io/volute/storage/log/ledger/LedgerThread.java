package io.volute.storage.log.ledger;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that closes ledgers, confirms entries and deletes garbage beside the commits. */
final class LedgerThread implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerThread.class);

    private final Optional<ScheduledExecutorService> own;
    private final Executor executor;

    /**
     * Starts the thread.
     *
     * @param other runs the tasks instead, if present
     */
    LedgerThread(Optional<Executor> other) {
        this.own = other.isPresent() ? Optional.empty() : Optional.of(newThread());
        this.executor = other.isPresent() ? other.get() : own.orElseThrow();
    }

    private static ScheduledExecutorService newThread() {
        return Executors.newSingleThreadScheduledExecutor(
                task -> Thread.ofPlatform().daemon().name("log-ledger-0").unstarted(task));
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Runs a task again and again until the end, unless the tasks run elsewhere. */
    void repeat(Duration pause, Runnable task) {
        own.ifPresent(
                thread -> {
                    var unused =
                            thread.scheduleWithFixedDelay(
                                    task,
                                    pause.toMillis(),
                                    pause.toMillis(),
                                    TimeUnit.MILLISECONDS);
                });
    }

    /** Waits for the tasks, for a minute at most. */
    @Override
    public void close() {
        if (own.isEmpty()) {
            return;
        }
        own.get().shutdown();
        try {
            if (!own.get().awaitTermination(1, TimeUnit.MINUTES)) {
                LOG.warn("ledgers are still being closed; the next start recovers them");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
