package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BEGINS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.rows.ChainBeginRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The first entries of chains whose beginning was removed, and the locks between readers and
 * removals of a chain. Thread-safe.
 */
public final class ChainBegins {
    private static final byte[] NOTHING = {};

    /**
     * Key of the row with the last commit up to which entries may be removed; no chain has this
     * key.
     */
    private static final byte[] HORIZON = {0};

    private static final int STRIPES = 256;

    private final RecordStore cube;
    private final ReentrantReadWriteLock[] stripes = new ReentrantReadWriteLock[STRIPES];
    private final AtomicLong removals = new AtomicLong();

    /** False in a store without removals, which saves the lookups. */
    private volatile boolean isAny;

    ChainBegins(RecordStore cube) {
        this.cube = cube;
        Arrays.setAll(stripes, index -> new ReentrantReadWriteLock());
        try (RecordCursor cursor = cube.scan(CHAIN_BEGINS, NOTHING, NOTHING)) {
            isAny = cursor.next();
        }
    }

    /** Returns a number that grows with each removal, after which rows read earlier may be gone. */
    public long removals() {
        return removals.get();
    }

    /** Returns the sequence of the first entry of a chain. */
    long first(long bucketId, ObjectKey key) {
        return row(RowKeys.current(bucketId, key))
                .map(row -> ChainBeginRow.decode(row.summary()).first())
                .orElse(0L);
    }

    /**
     * Returns the last commit that removed entries from a chain; 0 when none did.
     *
     * @param base common beginning of the keys of the chain's rows
     */
    public long removedAt(byte[] base) {
        return row(base).map(StoredRecord::sequence).orElse(0L);
    }

    private Optional<StoredRecord> row(byte[] base) {
        return isAny ? cube.get(CHAIN_BEGINS, base) : Optional.empty();
    }

    /**
     * Returns the horizon: chain heads as of an earlier commit may have been removed.
     *
     * @return a sequence; 0 when nothing was removed
     */
    long horizon() {
        return row(HORIZON).map(row -> ChainBeginRow.decode(row.summary()).first()).orElse(0L);
    }

    /** Adds the new beginning of a chain to the commit that removes its first entries. */
    void put(Transaction transaction, byte[] base, long first, long horizon) {
        transaction.put(CHAIN_BEGINS, base, new ChainBeginRow(first).encode(), NOTHING, List.of());
        if (horizon > horizon()) {
            transaction.put(
                    CHAIN_BEGINS, HORIZON, new ChainBeginRow(horizon).encode(), NOTHING, List.of());
        }
        // Before the commit: a concurrent lookup finds either no row or the present one.
        isAny = true;
    }

    /** Locks a chain against removals. Run the result in the same thread to unlock it. */
    public Runnable reading(byte[] base) {
        ReentrantReadWriteLock.ReadLock lock = stripe(base).readLock();
        lock.lock();
        return lock::unlock;
    }

    /**
     * Locks a chain against readers; empty when there are readers now. Run the result in the same
     * thread to unlock it.
     */
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
