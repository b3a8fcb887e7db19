package io.volute.versioning.commit;

import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Waits for commits. The waits are not interruptible, because locks must be held until the outcome
 * is known.
 */
public final class Commits {
    private Commits() {}

    /**
     * Makes changes durable and visible.
     *
     * @throws IOException when the commit failed, or its outcome is not known
     */
    public static void join(RecordStore cube, Transaction transaction) throws IOException {
        join(cube.commit(transaction));
    }

    /**
     * Waits until a commit is done.
     *
     * @throws IOException the failure of the commit; unchecked exceptions are rethrown
     */
    public static void join(CompletableFuture<Long> commit) throws IOException {
        try {
            long sequence = commit.join();
            assert sequence >= 0;
        } catch (CompletionException e) {
            throw failure(e);
        }
    }

    private static IOException failure(CompletionException e) {
        return switch (e.getCause()) {
            case IOException cause -> cause;
            case RuntimeException cause -> throw cause;
            case Error cause -> throw cause;
            case null -> new IOException("the commit failed", e);
            case Throwable cause -> new IOException("the commit failed", cause);
        };
    }
}
