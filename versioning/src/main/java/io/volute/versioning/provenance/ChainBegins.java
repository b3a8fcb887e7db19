package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BEGINS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.rows.ChainBeginRow;
import io.volute.versioning.rows.RowKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Where chains begin of which the first entries are gone, and who reads a chain at the moment:
 * nothing is taken out of that. Thread-safe.
 */
final class ChainBegins {
    private static final byte[] NOTHING = {};

    /** Under which it is said up to which commit entries may be gone; no chain has it. */
    private static final byte[] HORIZON = {0};

    private static final int STRIPES = 256;

    private final RecordStore cube;
    private final ReentrantReadWriteLock[] stripes = new ReentrantReadWriteLock[STRIPES];
    private final AtomicLong removals = new AtomicLong();

    /** Most stores remove nothing; they are to pay nothing for it. */
    private volatile boolean isAny;

    ChainBegins(RecordStore cube) {
        this.cube = cube;
        Arrays.setAll(stripes, index -> new ReentrantReadWriteLock());
        try (RecordCursor cursor = cube.scan(CHAIN_BEGINS, NOTHING, NOTHING)) {
            isAny = cursor.next();
        }
    }

    /** Grows with each removal: what was read of a chain before may be gone. */
    long removals() {
        return removals.get();
    }

    /** Sequence of the first entry of a chain. */
    long first(long bucketId, ObjectKey key) {
        return row(RowKeys.current(bucketId, key))
                .map(row -> ChainBeginRow.decode(row.summary()).first())
                .orElse(0L);
    }

    /**
     * The commit that took entries out of a chain last; 0 when none did.
     *
     * @param base what the keys of the chain's rows begin with
     */
    long removedAt(byte[] base) {
        return row(base).map(StoredRecord::sequence).orElse(0L);
    }

    private Optional<StoredRecord> row(byte[] base) {
        return isAny ? cube.get(CHAIN_BEGINS, base) : Optional.empty();
    }

    /**
     * Heads of chains as of an earlier commit may be gone.
     *
     * @return a sequence; 0 when nothing is gone
     */
    long horizon() {
        return row(HORIZON).map(row -> ChainBeginRow.decode(row.summary()).first()).orElse(0L);
    }

    /** Adds to a commit that a chain begins behind what the commit removes. */
    void put(Transaction transaction, byte[] base, long first, long horizon) {
        transaction.put(CHAIN_BEGINS, base, new ChainBeginRow(first).encode(), NOTHING, List.of());
        if (horizon > horizon()) {
            transaction.put(
                    CHAIN_BEGINS, HORIZON, new ChainBeginRow(horizon).encode(), NOTHING, List.of());
        }
        // Before the commit: who looks meanwhile finds nothing, or what is there.
        isAny = true;
    }

    /** While it is held nothing is taken out of the chain. Ended by the same thread. */
    Runnable reading(byte[] base) {
        ReentrantReadWriteLock.ReadLock lock = stripe(base).readLock();
        lock.lock();
        return lock::unlock;
    }

    /** Excludes readers; empty when there are some now. Ended by the same thread. */
    Optional<Runnable> removing(byte[] base) {
        ReentrantReadWriteLock.WriteLock lock = stripe(base).writeLock();
        if (!lock.tryLock()) {
            return Optional.empty();
        }
        return Optional.of(
                () -> {
                    removals.incrementAndGet();
                    lock.unlock();
                });
    }

    private ReentrantReadWriteLock stripe(byte[] base) {
        return stripes[Math.floorMod(Arrays.hashCode(base), STRIPES)];
    }
}
