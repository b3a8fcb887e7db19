package io.volute.storage.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.StampedLock;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One RocksDB instance, one column family a table. Its own log is off; all column families flush
 * atomically.
 *
 * <p>Every native call holds the read side of a lock whose write side {@link #close} takes: a read
 * that races with the close gets an exception, never a freed native object.
 */
final class RocksIndex implements KeyValueIndex {

    private final Path directory;
    private final List<AutoCloseable> natives;
    private final List<ColumnFamilyHandle> handles;
    private final List<ColumnFamilyHandle> tables;
    private final RocksDB database;
    private final WriteOptions unlogged;
    private final StampedLock closing = new StampedLock();
    private final Set<RocksCursor> cursors = ConcurrentHashMap.newKeySet();
    private final Set<RocksView> views = ConcurrentHashMap.newKeySet();
    private boolean closed;

    private RocksIndex(
            Path directory,
            List<AutoCloseable> natives,
            List<ColumnFamilyHandle> handles,
            RocksDB database) {
        this.directory = directory;
        this.natives = natives;
        this.handles = handles;
        // The first one is RocksDB's own default column family, which stays empty.
        this.tables = handles.subList(1, handles.size());
        this.database = database;
        this.unlogged = RocksSettings.keep(natives, new WriteOptions().setDisableWAL(true));
    }

    static RocksIndex open(IndexSettings settings) throws IOException {
        RocksDB.loadLibrary();
        List<AutoCloseable> natives = new ArrayList<>();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        boolean opened = false;
        try {
            RocksSettings.refuseUnknownTables(settings);
            ColumnFamilyOptions columns = RocksSettings.columns(settings, natives);
            List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
            descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, columns));
            for (IndexTable table : settings.tables()) {
                descriptors.add(
                        new ColumnFamilyDescriptor(
                                table.name().getBytes(StandardCharsets.UTF_8), columns));
            }
            DBOptions options = RocksSettings.database(settings, natives);
            String path = settings.directory().toString();
            RocksDB database = RocksDB.open(options, path, descriptors, handles);
            opened = true;
            return new RocksIndex(settings.directory(), natives, handles, database);
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
        long stamp = closing.readLock();
        try {
            checkOpen();
            return Optional.ofNullable(database.get(handle(table), key));
        } catch (RocksDBException e) {
            throw unreadable(e);
        } finally {
            closing.unlockRead(stamp);
        }
    }

    @Override
    public IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
        long stamp = closing.readLock();
        try {
            checkOpen();
            return newCursor(table, from, to, new ReadOptions());
        } finally {
            closing.unlockRead(stamp);
        }
    }

    /** Takes the options over. */
    private RocksCursor newCursor(IndexTable table, byte[] from, byte[] to, ReadOptions options) {
        RocksCursor cursor = new RocksCursor(table, from, to, options);
        cursors.add(cursor);
        return cursor;
    }

    @Override
    public KeyValueIndex snapshot() {
        long stamp = closing.readLock();
        try {
            checkOpen();
            RocksView view = new RocksView(database.getSnapshot());
            views.add(view);
            return view;
        } finally {
            closing.unlockRead(stamp);
        }
    }

    @Override
    public void write(IndexBatch changes) throws IOException {
        long stamp = closing.readLock();
        try (WriteBatch batch = new WriteBatch()) {
            checkOpen();
            for (IndexBatch.Change change : changes.changes()) {
                switch (change) {
                    case IndexBatch.Put put ->
                            batch.put(handle(put.table()), put.key(), put.value());
                    case IndexBatch.Delete delete ->
                            batch.delete(handle(delete.table()), delete.key());
                }
            }
            database.write(unlogged, batch);
        } catch (RocksDBException e) {
            throw new IOException(advice("cannot be written", e), e);
        } finally {
            closing.unlockRead(stamp);
        }
    }

    @Override
    public void flush() throws IOException {
        long stamp = closing.readLock();
        try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
            checkOpen();
            database.flush(options, handles);
        } catch (RocksDBException e) {
            throw new IOException(advice("cannot be flushed", e), e);
        } finally {
            closing.unlockRead(stamp);
        }
    }

    @Override
    public void close() {
        long stamp = closing.writeLock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            cursors.forEach(RocksCursor::release);
            cursors.clear();
            views.forEach(RocksView::release);
            views.clear();
            handles.forEach(ColumnFamilyHandle::close);
            database.close();
            closeAll(natives);
        } finally {
            closing.unlockWrite(stamp);
        }
    }

    private ColumnFamilyHandle handle(IndexTable table) {
        return tables.get(table.position());
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index in " + directory + " is closed");
        }
    }

    private UncheckedIOException unreadable(RocksDBException e) {
        return new UncheckedIOException(new IOException(advice("cannot be read", e), e));
    }

    private String advice(String what, RocksDBException e) {
        return "the index in "
                + directory
                + " "
                + what
                + " ("
                + e.getMessage()
                + "); if this stays after a restart, stop the server and delete that directory: the"
                + " index is made again from the log";
    }

    private static void closeAll(List<AutoCloseable> natives) {
        for (AutoCloseable object : natives.reversed()) {
            try {
                object.close();
            } catch (Exception e) {
                throw new IllegalStateException("a native object of RocksDB cannot be closed", e);
            }
        }
    }

    /** The tables as they were. */
    private final class RocksView extends UnchangingIndex {
        private final Snapshot snapshot;
        private final ReadOptions options;
        private boolean released;

        RocksView(Snapshot snapshot) {
            this.snapshot = snapshot;
            this.options = new ReadOptions().setSnapshot(snapshot);
        }

        @Override
        public Optional<byte[]> get(IndexTable table, byte[] key) {
            long stamp = closing.readLock();
            try {
                checkUsable();
                return Optional.ofNullable(database.get(handle(table), options, key));
            } catch (RocksDBException e) {
                throw unreadable(e);
            } finally {
                closing.unlockRead(stamp);
            }
        }

        @Override
        public IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
            long stamp = closing.readLock();
            try {
                checkUsable();
                return newCursor(table, from, to, new ReadOptions().setSnapshot(snapshot));
            } finally {
                closing.unlockRead(stamp);
            }
        }

        @Override
        public void close() {
            long stamp = closing.readLock();
            try {
                if (views.remove(this)) {
                    release();
                }
            } finally {
                closing.unlockRead(stamp);
            }
        }

        private void checkUsable() {
            if (released) {
                throw new IllegalStateException("the snapshot is closed");
            }
        }

        private void release() {
            released = true;
            options.close();
            database.releaseSnapshot(snapshot);
        }
    }

    private final class RocksCursor implements IndexCursor {
        private final Optional<Slice> end;
        private final ReadOptions options;
        private final RocksIterator iterator;
        private final byte[] from;
        private boolean started;
        private boolean released;

        RocksCursor(IndexTable table, byte[] from, byte[] to, ReadOptions options) {
            this.from = from;
            this.end = to.length == 0 ? Optional.empty() : Optional.of(new Slice(to));
            this.options = options;
            end.ifPresent(options::setIterateUpperBound);
            this.iterator = database.newIterator(handle(table), options);
        }

        @Override
        public boolean next() {
            long stamp = closing.readLock();
            try {
                checkUsable();
                if (!started) {
                    started = true;
                    iterator.seek(from);
                } else if (iterator.isValid()) {
                    iterator.next();
                }
                return valid();
            } finally {
                closing.unlockRead(stamp);
            }
        }

        @Override
        public boolean seek(byte[] key) {
            long stamp = closing.readLock();
            try {
                checkUsable();
                started = true;
                iterator.seek(Arrays.compareUnsigned(key, from) < 0 ? from : key);
                return valid();
            } finally {
                closing.unlockRead(stamp);
            }
        }

        private boolean valid() {
            boolean valid = iterator.isValid();
            if (!valid) {
                try {
                    iterator.status();
                } catch (RocksDBException e) {
                    throw unreadable(e);
                }
            }
            return valid;
        }

        @Override
        public byte[] key() {
            long stamp = closing.readLock();
            try {
                checkUsable();
                return iterator.key();
            } finally {
                closing.unlockRead(stamp);
            }
        }

        @Override
        public byte[] value() {
            long stamp = closing.readLock();
            try {
                checkUsable();
                return iterator.value();
            } finally {
                closing.unlockRead(stamp);
            }
        }

        @Override
        public void close() {
            long stamp = closing.readLock();
            try {
                if (cursors.remove(this)) {
                    release();
                }
            } finally {
                closing.unlockRead(stamp);
            }
        }

        private void checkUsable() {
            if (released) {
                throw new IllegalStateException("the cursor is closed");
            }
        }

        private void release() {
            released = true;
            iterator.close();
            options.close();
            end.ifPresent(Slice::close);
        }
    }
}
