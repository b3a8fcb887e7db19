package io.volute.storage.log.ledger;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The confirmed part of a ledger that another process writes, as a file for reading only. Bytes
 * that are not confirmed yet read as zeros. Used by one thread.
 */
final class LedgerTail implements StoredFile {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerTail.class);

    private final Ledgers ledgers;
    private final SegmentList.Listed listed;
    private final StoredFile mirror;
    private long entries;
    private long end;
    private boolean isClosed;

    LedgerTail(Ledgers ledgers, Mirrors mirrors, SegmentList.Listed listed) throws IOException {
        this.ledgers = ledgers;
        this.listed = listed;
        this.mirror = mirrors.create(listed.ledgerId());
    }

    /** Reads the entries that were confirmed since the last call. */
    void advance() throws IOException {
        Ledgers.Confirmed confirmed =
                ledgers.readConfirmed(
                        listed.ledgerId(),
                        entries,
                        entry -> {
                            long offset = entry.order(ByteOrder.LITTLE_ENDIAN).getLong();
                            long behind = offset + entry.remaining();
                            mirror.write(entry, offset, WriteCause.CHECKPOINT);
                            entries++;
                            end = Math.max(end, behind);
                        });
        isClosed = confirmed.isClosed();
    }

    /** Returns the end of the confirmed part. */
    long end() {
        return end;
    }

    /** Returns whether the ledger is closed, and this has all of it. */
    boolean isClosed() {
        return isClosed;
    }

    SegmentList.Listed listed() {
        return listed;
    }

    /** Returns the file behind this one. */
    StoredFile mirror() {
        return mirror;
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        int count = Math.clamp(size() - offset, 0, target.remaining());
        Mirrors.read(mirror, target, offset, count);
        return count;
    }

    @Override
    public long size() {
        return listed.segmentBytes();
    }

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) {
        throw new UnsupportedOperationException("the ledger has another writer");
    }

    @Override
    public void force() {
        throw new UnsupportedOperationException("the ledger has another writer");
    }

    @Override
    public boolean punch(long offset, long bytes) {
        throw new UnsupportedOperationException("the ledger has another writer");
    }

    @Override
    public void close() {
        try {
            mirror.close();
        } catch (IOException e) {
            LOG.warn("closing the mirror of ledger {} failed; nothing is lost", listed, e);
        }
    }
}
