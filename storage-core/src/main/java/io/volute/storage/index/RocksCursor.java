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
    /** Steps that cost as much as a seek: it looks into each run of the table. */
    private static final int STEPS_MAX = 16;

    private static final int KEY_BYTES = 128;

    private final RocksTables tables;
    private final Optional<Slice> end;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private final byte[] from;
    private final Lease lease;
    private boolean started;

    /** Steps worth trying: few where they have been in vain. */
    private int stepsMax = STEPS_MAX;

    /** Keys that are only looked at. */
    private byte[] passed = new byte[KEY_BYTES];

    /** Within a call of whom it reads for; takes the options over. */
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
            } else if (iterator.isValid()) {
                iterator.next();
            }
            return valid();
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
            return valid();
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
            for (int steps = 0; steps < stepsMax && iterator.isValid(); steps++) {
                iterator.next();
                if (iterator.isValid() && !isBefore(key)) {
                    stepsMax = Math.min(STEPS_MAX, stepsMax + 1);
                    return true;
                }
            }
            if (iterator.isValid()) {
                stepsMax = Math.max(1, stepsMax / 2);
                iterator.seek(key);
            }
            return valid();
        } finally {
            lease.leave(stamp);
        }
    }

    private boolean isBefore(byte[] wanted) {
        int length = iterator.key(passed);
        if (length > passed.length) {
            passed = new byte[length];
            length = iterator.key(passed);
        }
        return Arrays.compareUnsigned(passed, 0, length, wanted, 0, wanted.length) < 0;
    }

    private boolean valid() {
        boolean valid = iterator.isValid();
        if (!valid) {
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw tables.unreadable(e);
            }
        }
        return valid;
    }

    @Override
    public byte[] key() {
        long stamp = lease.enter();
        try {
            return iterator.key();
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public byte[] value() {
        long stamp = lease.enter();
        try {
            return iterator.value();
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
