package io.volute.storage.index;

import io.volute.storage.index.RocksLeases.Lease;
import java.util.Optional;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/** A snapshot of the tables. */
final class RocksSnapshot extends ReadOnlyIndex {
    private final RocksTables tables;
    private final Snapshot snapshot;
    private final ReadOptions options;
    private final Lease lease;

    /** Creates a snapshot within a call of the index. */
    RocksSnapshot(RocksTables tables) {
        this.tables = tables;
        this.snapshot = tables.database().getSnapshot();
        this.options = new ReadOptions().setSnapshot(snapshot);
        this.lease = tables.leases().add("the snapshot", this::release);
    }

    @Override
    public Optional<byte[]> get(IndexTable table, byte[] key) {
        return tables.get(lease, options, table, key);
    }

    @Override
    public IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
        return tables.cursor(lease, Optional.of(snapshot), table, from, to);
    }

    @Override
    public void close() {
        lease.end();
    }

    private void release() {
        options.close();
        tables.database().releaseSnapshot(snapshot);
    }
}
