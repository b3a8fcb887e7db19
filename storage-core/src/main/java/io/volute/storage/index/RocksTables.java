package io.volute.storage.index;

import io.volute.storage.index.RocksLeases.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.PerfLevel;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;

/**
 * The tables of an open RocksDB, which its index and its snapshots read.
 *
 * @param handles handles of the column families, the default one first
 */
record RocksTables(
        Path directory, RocksDB database, List<ColumnFamilyHandle> handles, RocksLeases leases) {

    /** RocksDB's own default column family stays empty. */
    ColumnFamilyHandle handle(IndexTable table) {
        return handles.get(1 + table.position());
    }

    Optional<byte[]> get(Lease reader, ReadOptions options, IndexTable table, byte[] key) {
        long stamp = reader.enter();
        try {
            return Optional.ofNullable(database.get(handle(table), options, key));
        } catch (RocksDBException e) {
            throw unreadable(e);
        } finally {
            reader.leave(stamp);
        }
    }

    IndexCursor cursor(
            Lease reader, Optional<Snapshot> snapshot, IndexTable table, byte[] from, byte[] to) {
        long stamp = reader.enter();
        try {
            countNothing();
            ReadOptions options = new ReadOptions();
            snapshot.ifPresent(options::setSnapshot);
            return new RocksCursor(this, options, table, from, to);
        } finally {
            reader.leave(stamp);
        }
    }

    /**
     * Turns off the performance counters of this thread. They are not used, and take a sixth of the
     * time of a cursor's step.
     */
    void countNothing() {
        database.setPerfLevel(PerfLevel.DISABLE);
    }

    UncheckedIOException unreadable(RocksDBException e) {
        return new UncheckedIOException(failed("cannot be read", e));
    }

    IOException failed(String what, RocksDBException e) {
        return new IOException(
                "the index in "
                        + directory
                        + " "
                        + what
                        + " ("
                        + e.getMessage()
                        + "); if this stays after a restart, stop the server and delete that"
                        + " directory: the index is rebuilt from the log",
                e);
    }
}
