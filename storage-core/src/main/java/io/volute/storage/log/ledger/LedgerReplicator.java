package io.volute.storage.log.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks segments that may have fewer copies than wanted, and rewrites them after they are closed,
 * once enough bookies take writes. For each segment, with what a crash leaves at each step:
 *
 * <ol>
 *   <li>A ledger with all copies gets the entries, is closed, read again and compared. After a
 *       crash here it is an unlisted ledger of an earlier epoch, which the next start deletes.
 *   <li>The list gets it in place of the old ledger. After a crash here the old ledger is unlisted,
 *       and the next start deletes it.
 *   <li>The mirror gets its name, and readers go on.
 *   <li>The old ledger is deleted.
 * </ol>
 *
 * <p>It works in a thread of its own. Thread-safe.
 */
final class LedgerReplicator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerReplicator.class);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Bytes between two pauses for the rate. */
    private static final long PIECE_BYTES = 1 << 20;

    private final NewLedgers fresh;
    private final ListedSegments segments;
    private final RecentLedgers recent;
    private final Epoch epoch;
    private final Ownership ownership;
    private final Optional<Executor> other;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Optional<Thread> thread = Optional.empty();
    private volatile boolean isClosing;
    private volatile boolean hasAllBookies = true;

    /** Bytes that were read since the last pause. */
    private long unpaced;

    /**
     * Creates a replicator.
     *
     * @param other works at the start and after each seal instead of the thread, if present
     */
    LedgerReplicator(
            NewLedgers fresh,
            ListedSegments segments,
            Epoch epoch,
            Ownership ownership,
            Optional<Executor> other) {
        this.fresh = fresh;
        this.segments = segments;
        this.recent = new RecentLedgers(fresh.ledgers());
        this.epoch = epoch;
        this.ownership = ownership;
        this.other = other;
    }

    /** Returns whether the last ledger that was created has all copies. */
    boolean hasAllBookies() {
        return hasAllBookies;
    }

    /**
     * Takes notice of the creation of a ledger.
     *
     * @param segment empty if it failed
     */
    void created(Optional<LedgerSegment> segment) {
        hasAllBookies = segment.filter(each -> !each.isUnderReplicated()).isPresent();
        segment.ifPresent(recent::add);
    }

    /** Takes notice of a sealed segment. */
    void sealed() {
        other.ifPresent(executor -> executor.execute(this::attempt));
    }

    /** Begins to look for segments to rewrite. */
    void start() {
        if (other.isPresent()) {
            other.get().execute(this::attempt);
            return;
        }
        lock.lock();
        try {
            if (thread.isEmpty() && !isStopping()) {
                thread =
                        Optional.of(
                                Thread.ofPlatform().daemon().name("log-copies-0").start(this::run));
            }
        } finally {
            lock.unlock();
        }
    }

    private void attempt() {
        LOG.trace("attempt without a failure: {}", replicateAll());
    }

    private boolean isStopping() {
        return isClosing || ownership.isLost();
    }

    private void run() {
        lock.lock();
        try {
            while (!isStopping()) {
                lock.unlock();
                boolean isSound;
                try {
                    isSound = replicateAll();
                } finally {
                    lock.lock();
                }
                awaitNanos(isSound ? LOOK_NANOS : FAILED_NANOS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            thread = Optional.empty();
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Waits, unless the replicator is being closed. Call it with the lock. */
    private void awaitNanos(long nanos) throws InterruptedException {
        long left = nanos;
        while (left > 0 && !isClosing) {
            left = changed.awaitNanos(left);
        }
    }

    /** Does what can be done now; returns false after a failure. */
    private boolean replicateAll() {
        boolean isSound = true;
        try {
            markSuspects();
            List<ListedSegments.Entry> closed =
                    marked().filter(each -> each.on().isClosed()).toList();
            if (closed.isEmpty() && !hasAllBookies && marked().findAny().isPresent()) {
                tryBookies();
            }
            for (ListedSegments.Entry each : closed) {
                Optional<Ledgers.Writer> writer = isStopping() ? Optional.empty() : create();
                if (writer.isEmpty()) {
                    break;
                }
                isSound &= replicate(each, writer.get());
                markSuspects();
            }
        } catch (IOException e) {
            isSound = false;
            if (!isStopping()) {
                LOG.warn("segments keep fewer copies for now: {}", e.getMessage());
            }
        }
        return isSound;
    }

    private Stream<ListedSegments.Entry> marked() {
        return segments.all()
                .filter(each -> each.on().isUnderReplicated())
                .sorted(Comparator.comparingLong(each -> each.name().number()));
    }

    /** Marks segments that were written while a bookie left or returned. */
    private void markSuspects() throws IOException {
        recent.check(
                some -> {
                    hasAllBookies = false;
                    some.forEach(LedgerSegment::markUnderReplicated);
                    segments.mark(some);
                });
    }

    /** Finds out whether a ledger would have all copies, for the open head. */
    private void tryBookies() throws IOException {
        Optional<Ledgers.Writer> probe = create();
        if (probe.isPresent()) {
            probe.get().close();
            fresh.ledgers().delete(probe.get().ledgerId());
        }
    }

    private Optional<Ledgers.Writer> create() {
        try {
            Ledgers.Writer writer = fresh.ledgers().createFull(fresh.cube(), epoch.number());
            hasAllBookies = true;
            return Optional.of(writer);
        } catch (IOException e) {
            LOG.debug("too few bookies for all copies", e);
            return Optional.empty();
        }
    }

    /** Rewrites one segment; returns false if that failed, and others may succeed. */
    private boolean replicate(ListedSegments.Entry segment, Ledgers.Writer writer)
            throws FencedException {
        long from = segment.on().ledgerId();
        long to = writer.ledgerId();
        boolean isUnlisted = true;
        try {
            copy(from, writer);
            // Unless it is refused, a change may have taken effect.
            isUnlisted = false;
            isUnlisted = !segments.exchange(segment, to);
            if (!isUnlisted) {
                // A bookie that has just died may be among those of the new ledger.
                recent.add(segment.on());
                segment.on().renameMirror(from);
                delete(from);
                LOG.info("segment {} has all copies again, in ledger {}", segment.name(), to);
            }
            return true;
        } catch (FencedException e) {
            isUnlisted = true;
            throw e;
        } catch (IOException e) {
            if (!isStopping()) {
                LOG.warn("segment {} keeps fewer copies for now", segment.name(), e);
            }
            return false;
        } finally {
            if (isUnlisted) {
                delete(to);
            }
        }
    }

    private void delete(long ledgerId) {
        try {
            fresh.ledgers().delete(ledgerId);
        } catch (IOException e) {
            LOG.warn("ledger {} is garbage until the next start", ledgerId, e);
        }
    }

    /** Copies the entries of a closed ledger, closes the copy, and compares both. */
    private void copy(long from, Ledgers.Writer to) throws IOException {
        LedgerWindow window =
                new LedgerWindow(
                        to, fresh.ledgers().entryBytesMax(), fresh.settings().windowBytes());
        Content expected = new Content();
        Ledgers ledgers = fresh.ledgers();
        try {
            ledgers.read(
                    from,
                    Long.MAX_VALUE,
                    entry -> {
                        long offset = expected.add(entry);
                        window.add(entry, offset);
                    });
            window.await();
        } finally {
            window.close();
        }
        Content found = new Content();
        ledgers.read(to.ledgerId(), Long.MAX_VALUE, found::add);
        if (!found.isSame(expected)) {
            throw new IOException(
                    "the copy of ledger " + from + " in " + to.ledgerId() + " differs from it");
        }
    }

    /** The content of a ledger as far as it was read, without the borders of its entries. */
    private final class Content {
        private final CRC32C checksum = new CRC32C();
        private long end;
        private long bytes;

        /** Adds an entry; returns its offset, and leaves the position at its bytes. */
        long add(ByteBuffer entry) throws IOException {
            long offset = entry.order(ByteOrder.LITTLE_ENDIAN).getLong();
            if (entry.hasRemaining()) {
                if (offset != end) {
                    checksum.update(ByteBuffer.allocate(Long.BYTES).putLong(0, offset));
                }
                checksum.update(entry.duplicate());
                bytes += entry.remaining();
                end = offset + entry.remaining();
                pace(entry.remaining());
            }
            return offset;
        }

        boolean isSame(Content others) {
            return bytes == others.bytes
                    && end == others.end
                    && checksum.getValue() == others.checksum.getValue();
        }
    }

    /** Waits as long as bytes may take at the greatest rate, once they are many. */
    private void pace(int copied) throws IOException {
        unpaced += copied;
        if (unpaced >= PIECE_BYTES && other.isEmpty()) {
            lock.lock();
            try {
                awaitNanos(
                        TimeUnit.SECONDS.toNanos(unpaced) / fresh.settings().copyBytesPerSecond());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } finally {
                lock.unlock();
            }
            unpaced = 0;
        }
        if (isStopping()) {
            throw new IOException("the log is being closed");
        }
    }

    /** Ends the work, after a last look at the bookies; the next start goes on. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosing = true;
            changed.signalAll();
            long left = TimeUnit.MINUTES.toNanos(1);
            while (thread.isPresent() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        try {
            if (!ownership.isLost()) {
                markSuspects();
            }
        } catch (IOException e) {
            LOG.debug("no last look at the bookies", e);
        }
    }
}
