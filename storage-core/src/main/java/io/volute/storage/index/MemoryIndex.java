package io.volute.storage.index;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** An index of sorted maps. A flush publishes a copy as the durable state. */
final class MemoryIndex implements KeyValueIndex {

    /** The rows of all tables. Never changed once it is the durable state. */
    record Tables(List<IndexTable> names, List<NavigableMap<byte[], byte[]>> rows) {

        static Tables empty(IndexSettings settings) {
            List<NavigableMap<byte[], byte[]>> rows = new ArrayList<>();
            settings.tables().forEach(table -> rows.add(new TreeMap<>(Arrays::compareUnsigned)));
            return new Tables(settings.tables(), rows);
        }

        Tables copy() {
            List<NavigableMap<byte[], byte[]>> copies = new ArrayList<>();
            rows.forEach(table -> copies.add(new TreeMap<>(table)));
            return new Tables(names, copies);
        }
    }

    private final Tables tables;
    private final Consumer<Tables> durable;
    private final Path directory;
    private boolean closed;

    MemoryIndex(Tables start, Consumer<Tables> durable, Path directory) {
        this.tables = start.copy();
        this.durable = durable;
        this.directory = directory;
    }

    @Override
    public synchronized Optional<byte[]> get(IndexTable table, byte[] key) {
        checkOpen();
        return Optional.ofNullable(rows(table).get(key)).map(byte[]::clone);
    }

    @Override
    public synchronized IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
        checkOpen();
        NavigableMap<byte[], byte[]> tail = rows(table).tailMap(from, true);
        NavigableMap<byte[], byte[]> range = new TreeMap<>(Arrays::compareUnsigned);
        range.putAll(to.length == 0 ? tail : headOf(tail, from, to));
        return new MemoryCursor(range);
    }

    private static NavigableMap<byte[], byte[]> headOf(
            NavigableMap<byte[], byte[]> tail, byte[] from, byte[] to) {
        return Arrays.compareUnsigned(from, to) >= 0
                ? new TreeMap<>(Arrays::compareUnsigned)
                : tail.headMap(to, false);
    }

    @Override
    public synchronized KeyValueIndex snapshot() {
        checkOpen();
        return new MemoryIndex(tables, ignored -> {}, directory);
    }

    @Override
    public synchronized void write(IndexBatch batch) {
        checkOpen();
        for (IndexBatch.Change change : batch.changes()) {
            switch (change) {
                case IndexBatch.Put put -> rows(put.table()).put(put.key(), put.value());
                case IndexBatch.Delete delete -> rows(delete.table()).remove(delete.key());
            }
        }
    }

    @Override
    public synchronized void flush() {
        checkOpen();
        durable.accept(tables.copy());
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private NavigableMap<byte[], byte[]> rows(IndexTable table) {
        return tables.rows().get(table.position());
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index in " + directory + " is closed");
        }
    }

    private static final class MemoryCursor implements IndexCursor {
        private final NavigableMap<byte[], byte[]> range;
        private Iterator<Map.Entry<byte[], byte[]>> rest;
        private Optional<Map.Entry<byte[], byte[]>> row = Optional.empty();

        MemoryCursor(NavigableMap<byte[], byte[]> range) {
            this.range = range;
            this.rest = range.entrySet().iterator();
        }

        @Override
        public boolean next() {
            row = rest.hasNext() ? Optional.of(rest.next()) : Optional.empty();
            return row.isPresent();
        }

        @Override
        public boolean seek(byte[] key) {
            rest = range.tailMap(key, true).entrySet().iterator();
            return next();
        }

        @Override
        public byte[] key() {
            return row.orElseThrow().getKey().clone();
        }

        @Override
        public byte[] value() {
            return row.orElseThrow().getValue().clone();
        }

        @Override
        public void close() {
            rest = List.<Map.Entry<byte[], byte[]>>of().iterator();
        }
    }
}
