package io.volute.bookkeeper;

import io.volute.storage.log.ledger.Ledgers;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.WriteHandle;

/** The writer of one ledger. Thread-safe. */
final class BookKeeperWriter implements Ledgers.Writer {
    private final WriteHandle handle;
    private final boolean isUnderReplicated;

    BookKeeperWriter(WriteHandle handle, boolean isUnderReplicated) {
        this.handle = handle;
        this.isUnderReplicated = isUnderReplicated;
    }

    @Override
    public long ledgerId() {
        return handle.getId();
    }

    @Override
    public boolean isUnderReplicated() {
        return isUnderReplicated;
    }

    @Override
    public CompletableFuture<Void> add(byte[] entry) {
        return handle.appendAsync(entry)
                .thenAccept(number -> {})
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(cause(failure)));
    }

    private static IOException cause(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause instanceof BKException known
                ? BookKeeperLedgers.failed("an append", known)
                : new IOException(cause.getMessage(), cause);
    }

    @Override
    public void close() throws IOException {
        try {
            BookKeeperLedgers.await(handle.closeAsync());
        } catch (BKException e) {
            throw BookKeeperLedgers.failed("closing ledger " + handle.getId(), e);
        }
    }
}
