package io.volute.storage;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for threads and futures regardless of interrupts. */
public final class UninterruptibleJoin {
    private UninterruptibleJoin() {}

    /**
     * Waits for the end of a thread. An interrupt does not end the wait; the interrupt flag is set
     * again afterwards.
     */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits for the result of a future.
     *
     * @throws IOException the failure of the future, when it is an {@code IOException}
     */
    public static <T> T join(CompletableFuture<T> future) throws IOException {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
