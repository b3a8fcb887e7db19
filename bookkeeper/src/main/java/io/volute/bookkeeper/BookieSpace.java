package io.volute.bookkeeper;

import io.volute.storage.io.NoSpaceException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.bookkeeper.client.BKException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The free space of the bookies, and the difference between bookies that are full and bookies that
 * are away, which come back by themselves. Thread-safe.
 */
final class BookieSpace {
    private static final Logger LOG = LoggerFactory.getLogger(BookieSpace.class);

    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Bookies bookies;
    private final int writeQuorum;
    private final int ackQuorum;
    private final LongSupplier nanos;
    private final AtomicLong measuredAt;
    private volatile long usableBytes = 1L << 60;

    /**
     * Creates the figures.
     *
     * @param writeQuorum copies of each entry
     * @param ackQuorum least number of bookies that take a ledger
     * @param nanos a clock that only goes on
     */
    public BookieSpace(Bookies bookies, int writeQuorum, int ackQuorum, LongSupplier nanos) {
        this.bookies = bookies;
        this.writeQuorum = writeQuorum;
        this.ackQuorum = ackQuorum;
        this.nanos = nanos;
        this.measuredAt = new AtomicLong(nanos.getAsLong() - PAUSE_NANOS);
    }

    /** The bookies that are registered and answer, writable or not. */
    @FunctionalInterface
    public interface Bookies {
        /** Returns the free bytes of each. */
        Collection<Long> free() throws BKException, InterruptedException;
    }

    /**
     * Returns about how many bytes new ledgers may take, copies not counted. Queries the bookies
     * every 10 s at most. While too few answer for a ledger, the last figure holds.
     */
    public long usableBytes() {
        long last = measuredAt.get();
        long now = nanos.getAsLong();
        if (now - last >= PAUSE_NANOS && measuredAt.compareAndSet(last, now)) {
            Thread.ofPlatform().daemon().name("bookie-space-0").start(this::measure);
        }
        return usableBytes;
    }

    /** Queries the bookies now. */
    void measure() {
        try {
            Collection<Long> free = bookies.free();
            if (free.size() >= ackQuorum) {
                long all = free.stream().mapToLong(Long::longValue).sum();
                usableBytes = all / writeQuorum;
            }
        } catch (BKException e) {
            LOG.warn("free space of the bookies is unknown: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns the failure when too few bookies take writes. If enough answer, they are read-only,
     * as bookies without space are.
     */
    public IOException tooFew(Exception cause) {
        int answering = 0;
        try {
            answering = bookies.free().size();
        } catch (BKException e) {
            cause.addSuppressed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String what =
                "fewer than " + ackQuorum + " bookies take writes, and " + answering + " answer";
        return answering >= ackQuorum
                ? new NoSpaceException(
                        what + ": see that their disks have space", new IOException(cause))
                : new IOException(what + ": see that they run", cause);
    }
}
