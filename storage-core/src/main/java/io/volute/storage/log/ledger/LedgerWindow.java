package io.volute.storage.log.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writer of one ledger. Several entries are on their way at once, up to a number of bytes. An
 * entry is the offset in the segment (8 bytes, little-endian) and the bytes there. Thread-safe.
 */
final class LedgerWindow {
    static final int OFFSET_BYTES = Long.BYTES;

    private final Ledgers.Writer writer;
    private final int contentMax;
    private final long windowBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Pending> pending = new ArrayDeque<>();
    private long pendingBytes;
    private volatile boolean failed;
    private boolean closed;

    /** True after an entry that no later one has confirmed to readers. */
    private boolean isUnconfirmed;

    private record Pending(CompletableFuture<Void> added, int bytes) {}

    LedgerWindow(Ledgers.Writer writer, int entryBytesMax, long windowBytes) {
        this.writer = writer;
        this.contentMax = entryBytesMax - OFFSET_BYTES;
        this.windowBytes = windowBytes;
    }

    /** Adds bytes, as few entries as they fit in; waits while the window is full. */
    void add(ByteBuffer content, long offset) throws IOException {
        lock.lock();
        try {
            long at = offset;
            while (content.hasRemaining()) {
                int bytes = Math.min(content.remaining(), contentMax);
                while (pendingBytes > 0 && pendingBytes + bytes > windowBytes) {
                    awaitOldest();
                }
                byte[] entry = new byte[OFFSET_BYTES + bytes];
                ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN).putLong(at);
                content.get(entry, OFFSET_BYTES, bytes);
                pending.add(new Pending(writer.add(entry), bytes));
                isUnconfirmed = true;
                pendingBytes += bytes;
                at += bytes;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds an entry without bytes and waits for a quorum: nothing fenced the ledger before.
     *
     * @return false when the ledger is closed, which proves nothing
     */
    boolean barrier() throws IOException {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            boolean confirms = pending.isEmpty();
            pending.add(new Pending(writer.add(new byte[OFFSET_BYTES]), 0));
            await();
            isUnconfirmed &= !confirms;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Confirms the last acknowledged entry to readers by an empty one, if no entry has done that.
     * The next entry waits for it, so that readers can tell an empty entry at the end from others.
     *
     * @return whether an entry was added
     */
    boolean confirm() throws IOException {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            return isUnconfirmed && pending.isEmpty() && barrier();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a quorum has everything that was added before. */
    void await() throws IOException {
        lock.lock();
        try {
            while (!pending.isEmpty()) {
                awaitOldest();
            }
        } finally {
            lock.unlock();
        }
    }

    /** An entry that failed stays in the window: whoever waits later fails too. */
    private void awaitOldest() throws IOException {
        Pending oldest = pending.getFirst();
        try {
            oldest.added().join();
        } catch (CompletionException | CancellationException e) {
            failed = true;
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message = "ledger " + writer.ledgerId() + ": " + cause.getMessage();
            throw cause instanceof FencedException
                    ? new FencedException(message, cause)
                    : new IOException(message, cause);
        }
        pending.removeFirst();
        pendingBytes -= oldest.bytes();
    }

    /** Returns whether an entry is known to have failed. */
    boolean hasFailed() {
        return failed;
    }

    /** Closes the ledger. */
    void close() throws IOException {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        writer.close();
    }
}
