package io.volute.versioning.commit;

import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for commits. Not interruptible: nobody gives up locks before the outcome is known. */
public final class Commits {
    private Commits() {}

    /**
     * Makes changes durable and visible.
     *
     * @throws IOException when they are not, or may not be
     */
    public static void join(RecordStore cube, Transaction transaction) throws IOException {
        join(cube.commit(transaction));
    }

    /**
     * Returns when a commit is done.
     *
     * @throws IOException as the commit failed with; unchecked exceptions are thrown as they are
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
