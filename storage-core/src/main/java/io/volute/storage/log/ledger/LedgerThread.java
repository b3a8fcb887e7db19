package io.volute.storage.log.ledger;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that closes ledgers and deletes garbage, so that no commit waits for it. */
final class LedgerThread implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerThread.class);

    private final Optional<ExecutorService> own;
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

    private static ExecutorService newThread() {
        return Executors.newSingleThreadExecutor(
                task -> Thread.ofPlatform().daemon().name("log-ledger-0").unstarted(task));
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
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
