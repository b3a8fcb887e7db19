package io.volute.storage.index;

import io.volute.storage.index.RocksLeases.Lease;
import java.util.Arrays;
import java.util.Optional;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** A cursor over a range of one column family. */
final class RocksCursor implements IndexCursor {
    /** Number of steps that cost as much as a seek, which looks into each run of the table. */
    private static final int STEPS_MAX = 16;

    /**
     * Number of equal skips in sequence, after which the next skip most likely has as many steps.
     */
    private static final int ALIKE_MIN = 2;

    private static final int KEY_BYTES = 128;
    private static final int VALUE_BYTES = 256;

    private final RocksTables tables;
    private final Optional<Slice> end;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private final byte[] from;
    private final Lease lease;
    private boolean started;

    /** Number of steps worth trying; few when they failed before. */
    private int stepsMax = STEPS_MAX;

    /** Steps of the last skip; 0 when it needed a seek. */
    private int lastSteps;

    /** Number of skips in sequence that took as many steps as the one before. */
    private int alike;

    /** True when the cursor is on a row. */
    private boolean isValid;

    /**
     * Array that begins with the key of the row: RocksDB creates an array more slowly than it fills
     * one.
     */
    private byte[] key = new byte[KEY_BYTES];

    private int keyBytes;

    /** Array that begins with the value of the row. */
    private byte[] value = new byte[VALUE_BYTES];

    /** Creates a cursor within a call of its index or snapshot. Takes over the options. */
    RocksCursor(RocksTables tables, ReadOptions options, IndexTable table, byte[] from, byte[] to) {
        this.tables = tables;
        this.from = from;
        this.end = to.length == 0 ? Optional.empty() : Optional.of(new Slice(to));
        this.options = options;
        end.ifPresent(options::setIterateUpperBound);
        this.iterator = tables.database().newIterator(tables.handle(table), options);
        this.lease = tables.leases().add("the cursor", this::release);
    }

    @Override
    public boolean next() {
        long stamp = lease.enter();
        try {
            if (!started) {
                started = true;
                iterator.seek(from);
                return moved();
            }
            return isValid && step();
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public boolean seek(byte[] key) {
        long stamp = lease.enter();
        try {
            started = true;
            iterator.seek(Arrays.compareUnsigned(key, from) < 0 ? from : key);
            return moved();
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public boolean skipTo(byte[] key) {
        if (!started) {
            return seek(key);
        }
        long stamp = lease.enter();
        try {
            int steps = alike >= ALIKE_MIN ? passUnseen(lastSteps - 1) : 0;
            if (steps > 0 && !(moved() && isBefore(key))) {
                return tooFar(key);
            }
            while (steps < stepsMax && isValid) {
                steps++;
                if (step() && !isBefore(key)) {
                    stepsMax = Math.min(STEPS_MAX, stepsMax + 1);
                    alike = steps == lastSteps ? alike + 1 : 0;
                    lastSteps = steps;
                    return true;
                }
            }
            if (isValid) {
                stepsMax = Math.max(1, stepsMax / 2);
                return tooFar(key);
            }
            return false;
        } finally {
            lease.leave(stamp);
        }
    }

    /**
     * Passes a number of rows, or up to the end, without reading their keys: that takes longer than
     * the step.
     */
    private int passUnseen(int rows) {
        int steps = 0;
        while (steps < rows && iterator.isValid()) {
            iterator.next();
            steps++;
        }
        return steps;
    }

    /** Seeks a key that stepping did not reach in time, or may have passed. */
    private boolean tooFar(byte[] key) {
        alike = 0;
        lastSteps = 0;
        iterator.seek(key);
        return moved();
    }

    private boolean step() {
        iterator.next();
        return moved();
    }

    private boolean isBefore(byte[] wanted) {
        return Arrays.compareUnsigned(key, 0, keyBytes, wanted, 0, wanted.length) < 0;
    }

    /** Reads the row at the iterator; returns whether there is one. */
    private boolean moved() {
        isValid = iterator.isValid();
        if (isValid) {
            keyBytes = iterator.key(key);
            if (keyBytes > key.length) {
                key = iterator.key();
            }
        } else {
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw tables.unreadable(e);
            }
        }
        return isValid;
    }

    @Override
    public byte[] key() {
        return Arrays.copyOf(key, keyBytes);
    }

    @Override
    public byte[] value() {
        long stamp = lease.enter();
        try {
            int bytes = iterator.value(value);
            if (bytes > value.length) {
                value = iterator.value();
            }
            return Arrays.copyOf(value, bytes);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public void close() {
        lease.end();
    }

    private void release() {
        iterator.close();
        options.close();
        end.ifPresent(Slice::close);
    }
}
