package io.volute.storage.index;

import io.volute.storage.index.RocksLeases.Lease;
import io.volute.storage.report.IndexStats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One RocksDB instance, one column family a table. Its own log is off; all column families flush
 * atomically. A read that races with the close gets an exception ({@link RocksLeases}).
 */
final class RocksIndex implements KeyValueIndex {
    private final RocksTables tables;
    private final List<AutoCloseable> natives;
    private final ReadOptions newest;
    private final WriteOptions unlogged;
    private final RocksStats stats;
    private final Lease lease;
    private final RunMerger merging;
    private final long bufferBytes;

    /** Bytes of changes since the last requested flush; some of them may be on disk. */
    private final AtomicLong unflushed = new AtomicLong();

    private volatile long flushedBytes;

    private RocksIndex(
            RocksTables tables,
            List<ColumnFamilyHandle> walked,
            RocksStats stats,
            List<AutoCloseable> natives,
            long bufferBytes)
            throws RocksDBException {
        this.bufferBytes = bufferBytes;
        this.stats = stats;
        this.tables = tables;
        this.natives = natives;
        this.newest = RocksSettings.keep(natives, new ReadOptions());
        this.unlogged = RocksSettings.keep(natives, new WriteOptions().setDisableWAL(true));
        this.lease = tables.leases().add("the index in " + tables.directory(), this::release);
        this.merging = new RocksRunMerger(tables, lease, walked, natives);
        this.flushedBytes = flushedBytes();
    }

    static RocksIndex open(IndexSettings settings, Optional<SharedIndexMemory> memory)
            throws IOException {
        RocksDB.loadLibrary();
        List<AutoCloseable> natives = new ArrayList<>();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        boolean opened = false;
        try {
            RocksSettings.refuseUnknownTables(settings);
            RocksSettings.Columns columns = RocksSettings.columns(settings, memory, natives);
            List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
            descriptors.add(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, columns.lookedUp()));
            for (IndexTable table : settings.tables()) {
                descriptors.add(
                        new ColumnFamilyDescriptor(
                                table.name().getBytes(StandardCharsets.UTF_8), columns.of(table)));
            }
            RocksStats stats = new RocksStats(natives);
            DBOptions options =
                    RocksSettings.database(settings, memory, natives)
                            .setStatistics(stats.statistics());
            String path = settings.directory().toString();
            RocksDB database = RocksDB.open(options, path, descriptors, handles);
            opened = true;
            RocksTables tables =
                    new RocksTables(settings.directory(), database, handles, new RocksLeases());
            return new RocksIndex(
                    tables,
                    settings.tables().stream()
                            .filter(IndexTable::isWalked)
                            .map(tables::handle)
                            .toList(),
                    stats,
                    natives,
                    settings.writeBufferBytes());
        } catch (RocksDBException e) {
            throw new IndexUnusableException(
                    "RocksDB cannot open the index in "
                            + settings.directory()
                            + ": "
                            + e.getMessage(),
                    e);
        } finally {
            if (!opened) {
                closeAll(natives);
            }
        }
    }

    @Override
    public Optional<byte[]> get(IndexTable table, byte[] key) {
        return tables.get(lease, newest, table, key);
    }

    @Override
    public List<Optional<byte[]>> getAll(List<RowKey> rows) {
        if (rows.isEmpty()) {
            // RocksDB rejects an empty list of keys.
            return List.of();
        }
        List<ColumnFamilyHandle> in = rows.stream().map(row -> tables.handle(row.table())).toList();
        List<byte[]> keys = rows.stream().map(RowKey::key).toList();
        long stamp = lease.enter();
        try {
            return tables.database().multiGetAsList(newest, in, keys).stream()
                    .map(Optional::ofNullable)
                    .toList();
        } catch (RocksDBException e) {
            throw tables.unreadable(e);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
        return tables.cursor(lease, Optional.empty(), table, from, to);
    }

    @Override
    public KeyValueIndex snapshot() {
        long stamp = lease.enter();
        try {
            return new RocksSnapshot(tables);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public void write(IndexBatch changes) throws IOException {
        long stamp = lease.enter();
        try (WriteBatch batch = new WriteBatch()) {
            tables.countNothing();
            for (IndexBatch.Change change : changes.changes()) {
                switch (change) {
                    case IndexBatch.Put put ->
                            batch.put(tables.handle(put.table()), put.key(), put.value());
                    case IndexBatch.Delete delete ->
                            batch.delete(tables.handle(delete.table()), delete.key());
                }
            }
            tables.database().write(unlogged, batch);
            unflushed.addAndGet(batch.getDataSize());
        } catch (RocksDBException e) {
            throw tables.failed("cannot be written", e);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public void flush() throws IOException {
        long stamp = lease.enter();
        try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
            long before = unflushed.get();
            tables.database().flush(options, tables.handles());
            unflushed.addAndGet(-before);
            flushedBytes = flushedBytes();
        } catch (RocksDBException e) {
            throw tables.failed("cannot be flushed", e);
        } finally {
            lease.leave(stamp);
        }
    }

    /** Compares with the size in memory; a file is smaller. */
    @Override
    public boolean hasRoomToFlush() throws IOException {
        long stamp = lease.enter();
        try {
            long unflushed =
                    tables.database().getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables");
            return Files.getFileStore(tables.directory()).getUsableSpace() > unflushed;
        } catch (RocksDBException e) {
            throw tables.failed("cannot report its unflushed bytes", e);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public Room room() {
        return new Room(Math.min(unflushed.get(), bufferBytes), flushedBytes);
    }

    private long flushedBytes() throws RocksDBException {
        return tables.database().getAggregatedLongProperty("rocksdb.live-sst-files-size");
    }

    @Override
    public RunMerger merging() {
        return merging;
    }

    @Override
    public IndexStats stats() {
        long stamp = lease.enter();
        try {
            return stats.of(tables.database());
        } catch (RocksDBException e) {
            throw tables.unreadable(e);
        } finally {
            lease.leave(stamp);
        }
    }

    @Override
    public void close() {
        merging.end();
        tables.leases().end();
    }

    private void release() {
        tables.handles().forEach(ColumnFamilyHandle::close);
        tables.database().close();
        closeAll(natives);
    }

    static void closeAll(List<AutoCloseable> natives) {
        for (AutoCloseable object : natives.reversed()) {
            try {
                object.close();
            } catch (Exception e) {
                throw new IllegalStateException("a native object of RocksDB cannot be closed", e);
            }
        }
    }
}
