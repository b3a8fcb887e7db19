package io.volute.storage.log.ledger;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The confirmed part of a ledger that another process writes, as a file for reading only. Bytes
 * that are not confirmed yet read as zeros. Thread-safe, except that a caller of {@link #advance}
 * holds {@link #advancing}.
 */
final class LedgerTail extends ReadOnlyFile {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerTail.class);

    private final Ledgers ledgers;
    private final SegmentList.Listed listed;
    private final StoredFile mirror;
    private final ReentrantLock advancing = new ReentrantLock();

    /** Readers of the mirror share it; its end excludes them. */
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    private boolean isOver;
    private long entries;
    private long entryBytes;
    private volatile long end;
    private boolean isClosed;
    private boolean hasMore;

    LedgerTail(Ledgers ledgers, Mirrors mirrors, SegmentList.Listed listed) throws IOException {
        this.ledgers = ledgers;
        this.listed = listed;
        this.mirror = mirrors.create(listed.ledgerId());
    }

    /** Returns the lock of the thread that reads on. */
    ReentrantLock advancing() {
        return advancing;
    }

    /** Reads the entries that were confirmed since the last call. */
    void advance() throws IOException {
        Ledgers.Confirmed confirmed =
                ledgers.readConfirmed(
                        listed.ledgerId(),
                        entries,
                        entry -> {
                            int bytes = entry.remaining();
                            long offset = entry.order(ByteOrder.LITTLE_ENDIAN).getLong();
                            long behind = offset + entry.remaining();
                            mirror.write(entry, offset, WriteCause.CHECKPOINT);
                            entries++;
                            entryBytes += bytes;
                            end = Math.max(end, behind);
                        });
        isClosed = confirmed.isClosed();
        // The last entry may be the empty one that confirms the entry before it.
        hasMore = !isClosed && confirmed.addedBytes() - entryBytes > LedgerWindow.OFFSET_BYTES;
    }

    /** Returns the end of the confirmed part. */
    long end() {
        return end;
    }

    /** Returns whether the ledger is closed, and this has all of it. */
    boolean isClosed() {
        return isClosed;
    }

    /** Returns whether the ledger had more bytes of the segment, which were not confirmed. */
    boolean hasMore() {
        return hasMore;
    }

    SegmentList.Listed listed() {
        return listed;
    }

    /**
     * Makes the mirror whole. Nobody reads this file any more. Call it once the ledger is closed.
     */
    void complete(Mirrors mirrors) throws IOException {
        use.writeLock().lock();
        try {
            isOver = true;
            mirrors.complete(listed.ledgerId(), mirror).close();
        } finally {
            use.writeLock().unlock();
        }
    }

    /** Reads as {@link #read}; empty when the file is not used any more. */
    OptionalInt readInUse(ByteBuffer target, long offset) throws IOException {
        use.readLock().lock();
        try {
            if (isOver) {
                return OptionalInt.empty();
            }
            int count = Math.clamp(size() - offset, 0, target.remaining());
            Mirrors.read(mirror, target, offset, count);
            return OptionalInt.of(count);
        } finally {
            use.readLock().unlock();
        }
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        return readInUse(target, offset)
                .orElseThrow(() -> new IOException("the tail of " + listed + " is not used"));
    }

    @Override
    public long size() {
        return listed.segmentBytes();
    }

    @Override
    public void close() {
        use.writeLock().lock();
        try {
            isOver = true;
            mirror.close();
        } catch (IOException e) {
            LOG.warn("closing the mirror of ledger {} failed; nothing is lost", listed, e);
        } finally {
            use.writeLock().unlock();
        }
    }
}
