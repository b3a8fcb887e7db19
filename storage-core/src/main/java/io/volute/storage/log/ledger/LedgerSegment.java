package io.volute.storage.log.ledger;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment on a ledger, with its mirror. While it is written, the mirror gets the same bytes. A
 * sealed segment without a mirror is read from the ledger as a whole when it is needed, except for
 * its first bytes, which every start needs. Thread-safe.
 */
final class LedgerSegment {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerSegment.class);

    /** Number of times that a mirror is made anew for damage. */
    private static final int RESTORED_MAX = 3;

    private static final AtomicLong READS = new AtomicLong();

    private final Ledgers ledgers;
    private final Mirrors mirrors;
    private volatile long ledgerId;
    private volatile boolean isUnderReplicated;
    private volatile boolean isClosed;
    private final long segmentBytes;
    final Optional<LedgerWindow> window;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final AtomicLong end = new AtomicLong();
    private Optional<StoredFile> mirror = Optional.empty();
    private Optional<LedgerFront> front = Optional.empty();
    private boolean writing;
    private volatile boolean isGone;
    private int restored;
    private volatile long lastRead;

    /** Creates a segment that is about to be written. */
    LedgerSegment(
            Ledgers ledgers,
            Mirrors mirrors,
            Ledgers.Writer writer,
            long segmentBytes,
            LedgerWindow window)
            throws IOException {
        this.ledgers = ledgers;
        this.mirrors = mirrors;
        this.ledgerId = writer.ledgerId();
        this.isUnderReplicated = writer.isUnderReplicated();
        this.segmentBytes = segmentBytes;
        this.window = Optional.of(window);
        this.mirror = Optional.of(mirrors.create(ledgerId));
        this.writing = true;
    }

    /** Creates a segment on a closed ledger. */
    LedgerSegment(Ledgers ledgers, Mirrors mirrors, SegmentList.Listed listed) {
        this.ledgers = ledgers;
        this.mirrors = mirrors;
        this.ledgerId = listed.ledgerId();
        this.isUnderReplicated = listed.isUnderReplicated();
        this.segmentBytes = listed.segmentBytes();
        this.window = Optional.empty();
        this.end.set(Math.max(0, listed.sealedBytes()));
        this.isClosed = true;
    }

    long ledgerId() {
        return ledgerId;
    }

    /** Returns whether the ledger has, or may have, fewer copies than wanted. */
    boolean isUnderReplicated() {
        return isUnderReplicated;
    }

    /** Records that the ledger may have fewer copies of some entries. */
    void markUnderReplicated() {
        isUnderReplicated = true;
    }

    boolean isGone() {
        return isGone;
    }

    /** Returns whether the ledger is closed, and has everything that was written. */
    boolean isClosed() {
        return isClosed;
    }

    long segmentBytes() {
        return segmentBytes;
    }

    /** Returns the end of the written part. */
    long end() {
        return end.get();
    }

    /** Returns a number that is greater for segments that were read later. */
    long lastRead() {
        return lastRead;
    }

    void write(ByteBuffer content, long offset, WriteCause cause) throws IOException {
        lock.readLock().lock();
        try {
            if (!writing) {
                throw new IOException("ledger " + ledgerId + " is closed: it takes no writes");
            }
            int bytes = content.remaining();
            mirror.orElseThrow().write(content.duplicate(), offset, cause);
            window.orElseThrow().add(content, offset);
            end.accumulateAndGet(offset + bytes, Math::max);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns whether the ledger took an entry without bytes: it is open and not fenced. */
    boolean barrier() throws IOException {
        return window.isPresent() && window.get().barrier();
    }

    void force() throws IOException {
        if (window.isPresent()) {
            window.get().await();
        }
    }

    /** Fills the target; bytes that were never written are zeros. */
    int read(ByteBuffer target, long offset) throws IOException {
        int count = (int) Math.max(0, Math.min(target.remaining(), segmentBytes - offset));
        if (count == 0) {
            return 0;
        }
        lastRead = READS.incrementAndGet();
        if (!readPresent(target, offset, count)) {
            lock.writeLock().lock();
            try {
                if (isGone) {
                    throw new IOException("ledger " + ledgerId + " is not read any more");
                }
                if (mirror.isEmpty() && !readFront(target, offset, count)) {
                    fetch();
                }
                lock.readLock().lock();
            } finally {
                lock.writeLock().unlock();
            }
            try {
                if (mirror.isPresent()) {
                    Mirrors.read(mirror.get(), target, offset, count);
                }
            } finally {
                lock.readLock().unlock();
            }
        }
        return count;
    }

    private boolean readPresent(ByteBuffer target, long offset, int count) throws IOException {
        lock.readLock().lock();
        try {
            if (mirror.isEmpty()) {
                return false;
            }
            Mirrors.read(mirror.get(), target, offset, count);
            return true;
        } finally {
            lock.readLock().unlock();
        }
    }

    private boolean readFront(ByteBuffer target, long offset, int count) throws IOException {
        if (front.isEmpty()) {
            front = Optional.of(LedgerFront.read(ledgers, ledgerId));
        }
        return front.get().get(target, offset, count);
    }

    /** Reads the whole ledger into a new mirror. */
    private void fetch() throws IOException {
        long from = ledgerId;
        StoredFile copy = mirrors.create(from);
        boolean isWhole = false;
        try {
            ledgers.read(
                    from,
                    Long.MAX_VALUE,
                    entry -> {
                        long offset = entry.order(ByteOrder.LITTLE_ENDIAN).getLong();
                        end.accumulateAndGet(offset + entry.remaining(), Math::max);
                        copy.write(entry, offset, WriteCause.CHECKPOINT);
                    });
            isWhole = true;
        } finally {
            if (!isWhole) {
                copy.close();
            }
        }
        mirror = Optional.of(mirrors.complete(from, copy));
        front = Optional.empty();
        mirrors.count(this);
    }

    /**
     * Makes the mirror of a closed ledger anew, because a reader has found damage. If the ledger
     * itself is damaged, that helps no reader, so it is done a few times only.
     *
     * @return whether the mirror is new
     */
    boolean restore() throws IOException {
        lock.writeLock().lock();
        try {
            if (writing || restored >= RESTORED_MAX) {
                return false;
            }
            restored++;
            LOG.warn("the mirror of ledger {} is damaged, and read from the bookies", ledgerId);
            closeMirror();
            mirrors.delete(ledgerId);
            fetch();
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Reads the ledger of a segment whose end is not known. */
    void measure() throws IOException {
        lock.writeLock().lock();
        try {
            fetch();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Recovers the ledger that is being written, once enough bookies answer.
     *
     * @return false when they stay away
     */
    boolean recover() throws IOException {
        for (int attempts = 1; ; attempts++) {
            try {
                ledgers.recover(ledgerId);
                recovered();
                LOG.warn("ledger {} was recovered after a failed append", ledgerId);
                return true;
            } catch (IOException e) {
                if (!ledgers.awaitBookies(attempts)) {
                    LOG.error("ledger {} could not be recovered", ledgerId, e);
                    return false;
                }
            }
        }
    }

    /** Makes the mirror anew. */
    private void recovered() throws IOException {
        lock.writeLock().lock();
        try {
            writing = false;
            closeMirror();
            end.set(0);
            fetch();
            // A recovery writes the last entries to those bookies that answer.
            isUnderReplicated = true;
            isClosed = true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Takes over a whole mirror of an earlier life. */
    void adoptMirror() throws IOException {
        lock.writeLock().lock();
        try {
            mirror = Optional.of(mirrors.openWhole(ledgerId));
        } finally {
            lock.writeLock().unlock();
        }
        mirrors.count(this);
    }

    /**
     * Closes the ledger and makes the mirror whole.
     *
     * @return whether the ledger is closed and has everything that was written
     */
    boolean seal() {
        if (isClosed) {
            return true;
        }
        boolean sealed = false;
        try {
            window.orElseThrow().await();
            window.orElseThrow().close();
            sealed = true;
        } catch (IOException e) {
            LOG.warn("ledger {} stays open until the next start recovers it", ledgerId, e);
        }
        lock.writeLock().lock();
        try {
            writing = false;
            if (sealed && mirror.isPresent()) {
                mirror = Optional.of(mirrors.complete(ledgerId, mirror.get()));
                mirrors.count(this);
            }
        } catch (IOException e) {
            LOG.warn("the mirror of ledger {} is given up", ledgerId, e);
            mirror = Optional.empty();
        } finally {
            isClosed = sealed;
            lock.writeLock().unlock();
        }
        return sealed;
    }

    /** Goes on with another ledger of the same entries; reads under way use the old one. */
    void exchange(long other) {
        ledgerId = other;
        isUnderReplicated = false;
    }

    /** Gives the mirror of the ledger before to the present one. No read uses the former then. */
    void renameMirror(long before) {
        lock.writeLock().lock();
        try {
            boolean isMirrored = mirror.isPresent() && !isGone;
            closeMirror();
            if (isMirrored && mirrors.rename(before, ledgerId)) {
                mirror = Optional.of(mirrors.openWhole(ledgerId));
            } else {
                mirrors.delete(before);
            }
        } catch (IOException e) {
            LOG.warn("the mirror of ledger {} is given up", before, e);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Closes the ledger of a segment that is not used. */
    void abandon() {
        try {
            window.orElseThrow().close();
        } catch (IOException e) {
            LOG.debug("ledger {} is deleted open", ledgerId, e);
        }
    }

    /** Gives up the mirror, unless the segment is in use. Returns whether it did so. */
    boolean dropMirror() {
        if (!lock.writeLock().tryLock()) {
            return false;
        }
        try {
            closeMirror();
            mirrors.delete(ledgerId);
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Closes the mirror; nothing reads the segment any more. */
    void close() {
        mirrors.forget(this);
        lock.writeLock().lock();
        try {
            writing = false;
            isGone = true;
            closeMirror();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void closeMirror() {
        try {
            if (mirror.isPresent()) {
                mirror.get().close();
            }
        } catch (IOException e) {
            LOG.warn("closing the mirror of ledger {} failed; nothing is lost", ledgerId, e);
        }
        mirror = Optional.empty();
    }
}
