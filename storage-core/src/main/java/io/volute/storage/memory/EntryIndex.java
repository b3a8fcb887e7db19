package io.volute.storage.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongPredicate;

/**
 * A map of blob id to place, with 16 bytes for each cell: open addressing with linear probing, in
 * stripes. Lookups take no lock unless they collide with a change of their stripe. Memory is
 * bounded; a table that may not grow refuses. Thread-safe; insertions come from one thread at a
 * time.
 */
final class EntryIndex {
    /** The place of no blob; real places are never negative. */
    static final long NONE = -1;

    private static final int STRIPE_BITS = 4;
    private static final int STRIPES = 1 << STRIPE_BITS;
    private static final int CELL_BYTES = 16;
    private static final int CELLS_MIN = 16;

    /** The id in an empty cell; blob ids are positive. */
    private static final long EMPTY = 0;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final int cellsMax;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger entries = new AtomicInteger();

    /**
     * Creates an empty index.
     *
     * @param bytesMax greatest bytes of all tables together, also while one of them grows
     */
    EntryIndex(long bytesMax) {
        // The share of one stripe is for the second table while one grows.
        long cells = bytesMax / (STRIPES + 1) / CELL_BYTES;
        this.cellsMax = Math.clamp(cells, CELLS_MIN, 1 << 29);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    private static final class Stripe {
        private final StampedLock lock = new StampedLock();

        /** Blob ids and places, alternating. */
        private long[] table = {};

        private int size;
    }

    /** Spreads ids, which are given out in sequence. */
    static long mix(long id) {
        long hash = id;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }

    private Stripe stripe(long hash) {
        return stripes[(int) (hash >>> Long.SIZE - STRIPE_BITS)];
    }

    private static int cells(long[] table) {
        return table.length / 2;
    }

    private static int home(long hash, int cells) {
        return (int) ((hash & 0xffff_ffffL) * cells >>> 32);
    }

    /** Returns the cell of the id, or -1. */
    private static int find(long[] table, long id, long hash) {
        int cells = cells(table);
        int at = cells == 0 ? 0 : home(hash, cells);
        for (int probes = 0; probes < cells; probes++) {
            long found = table[2 * at];
            if (found == id) {
                return at;
            }
            if (found == EMPTY) {
                return -1;
            }
            at = at + 1 == cells ? 0 : at + 1;
        }
        return -1;
    }

    private static long lookUp(long[] table, long id, long hash) {
        int at = find(table, id, hash);
        return at < 0 ? NONE : table[2 * at + 1];
    }

    /** Returns the place of a blob, or {@link #NONE}. */
    long get(long id) {
        long hash = mix(id);
        Stripe stripe = stripe(hash);
        long stamp = stripe.lock.tryOptimisticRead();
        if (stamp != 0) {
            long place = lookUp(stripe.table, id, hash);
            if (stripe.lock.validate(stamp)) {
                return place;
            }
        }
        stamp = stripe.lock.readLock();
        try {
            return lookUp(stripe.table, id, hash);
        } finally {
            stripe.lock.unlockRead(stamp);
        }
    }

    /** Adds a blob that is not in the index; returns false when the memory does not allow it. */
    boolean insert(long id, long place) {
        long hash = mix(id);
        Stripe stripe = stripe(hash);
        long stamp = stripe.lock.writeLock();
        try {
            if (!hasRoom(stripe)) {
                return false;
            }
            put(stripe.table, id, place);
            stripe.size++;
            entries.incrementAndGet();
            return true;
        } finally {
            stripe.lock.unlockWrite(stamp);
        }
    }

    private static int sizeMax(int cells) {
        return cells / 4 * 3;
    }

    private boolean hasRoom(Stripe stripe) {
        int cells = cells(stripe.table);
        if (stripe.size < sizeMax(cells)) {
            return true;
        }
        if (cells >= cellsMax) {
            return false;
        }
        long[] grown = new long[2 * Math.clamp(2L * cells, CELLS_MIN, cellsMax)];
        bytes.addAndGet(8L * grown.length);
        for (int i = 0; i < stripe.table.length; i += 2) {
            if (stripe.table[i] != EMPTY) {
                put(grown, stripe.table[i], stripe.table[i + 1]);
            }
        }
        bytes.addAndGet(-8L * stripe.table.length);
        stripe.table = grown;
        return stripe.size < sizeMax(cells(grown));
    }

    private static void put(long[] table, long id, long place) {
        int cells = cells(table);
        int at = home(mix(id), cells);
        while (table[2 * at] != EMPTY) {
            at = at + 1 == cells ? 0 : at + 1;
        }
        table[2 * at] = id;
        table[2 * at + 1] = place;
    }

    /** Sets the place if it is still the expected one. */
    boolean replace(long id, long expected, long place) {
        long hash = mix(id);
        Stripe stripe = stripe(hash);
        long stamp = stripe.lock.writeLock();
        try {
            int at = find(stripe.table, id, hash);
            if (at < 0 || stripe.table[2 * at + 1] != expected) {
                return false;
            }
            stripe.table[2 * at + 1] = place;
            return true;
        } finally {
            stripe.lock.unlockWrite(stamp);
        }
    }

    /** Removes a blob; returns its place, or {@link #NONE}. */
    long remove(long id) {
        return remove(id, place -> true);
    }

    /** Removes a blob if it has this place. */
    boolean remove(long id, long expected) {
        return remove(id, place -> place == expected) != NONE;
    }

    private long remove(long id, LongPredicate condition) {
        long hash = mix(id);
        Stripe stripe = stripe(hash);
        long stamp = stripe.lock.writeLock();
        try {
            int at = find(stripe.table, id, hash);
            if (at < 0 || !condition.test(stripe.table[2 * at + 1])) {
                return NONE;
            }
            long place = stripe.table[2 * at + 1];
            clear(stripe, at);
            return place;
        } finally {
            stripe.lock.unlockWrite(stamp);
        }
    }

    /** Empties a cell and closes the gap, so that every probe still finds the cells behind it. */
    private void clear(Stripe stripe, int at) {
        long[] table = stripe.table;
        int cells = cells(table);
        int hole = at;
        for (int next = (hole + 1) % cells; table[2 * next] != EMPTY; next = (next + 1) % cells) {
            int home = home(mix(table[2 * next]), cells);
            if (distance(home, next, cells) >= distance(hole, next, cells)) {
                table[2 * hole] = table[2 * next];
                table[2 * hole + 1] = table[2 * next + 1];
                hole = next;
            }
        }
        table[2 * hole] = EMPTY;
        stripe.size--;
        entries.decrementAndGet();
    }

    private static int distance(int from, int to, int cells) {
        return to >= from ? to - from : to - from + cells;
    }

    /**
     * Removes all blobs whose place fits the condition; returns their number. It reads the whole
     * index: for use after damage.
     */
    int removeIf(LongPredicate condition) {
        int removed = 0;
        for (Stripe stripe : stripes) {
            long stamp = stripe.lock.writeLock();
            try {
                int at = 0;
                while (at < cells(stripe.table)) {
                    if (stripe.table[2 * at] != EMPTY && condition.test(stripe.table[2 * at + 1])) {
                        // Another entry may have moved here: check the cell again.
                        clear(stripe, at);
                        removed++;
                    } else {
                        at++;
                    }
                }
            } finally {
                stripe.lock.unlockWrite(stamp);
            }
        }
        return removed;
    }

    /** Removes everything and frees the memory. */
    void clear() {
        for (Stripe stripe : stripes) {
            long stamp = stripe.lock.writeLock();
            try {
                bytes.addAndGet(-8L * stripe.table.length);
                entries.addAndGet(-stripe.size);
                stripe.table = new long[0];
                stripe.size = 0;
            } finally {
                stripe.lock.unlockWrite(stamp);
            }
        }
    }

    int entries() {
        return entries.get();
    }

    /** Returns the number of entries that all stripes together can hold. */
    long entriesMax() {
        return (long) STRIPES * sizeMax(cellsMax);
    }

    long bytes() {
        return bytes.get();
    }
}
