package io.volute.storage.cube;

import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Counts the queries of an index, and can delay or fail its writes, or report a lack of space. */
public final class CountingIndexes {
    public final LongAdder gets = new LongAdder();
    public final LongAdder getsTogether = new LongAdder();
    public final LongAdder writes = new LongAdder();
    final LongAdder flushes = new LongAdder();
    public final AtomicReference<Runnable> whenAskedTogether = new AtomicReference<>(() -> {});
    public volatile Runnable beforeWrite = () -> {};
    public volatile Runnable afterWrite = () -> {};
    public volatile boolean failsWrites;
    public volatile boolean failsFlushes;
    volatile boolean hasRoom = true;
    volatile KeyValueIndex.Room room = new KeyValueIndex.Room(0, 0);

    public IndexFactory over(IndexFactory indexes) {
        return new IndexFactory() {
            @Override
            public boolean exists(Path directory) throws IOException {
                return indexes.exists(directory);
            }

            @Override
            public KeyValueIndex open(IndexSettings settings) throws IOException {
                return new Counting(indexes.open(settings));
            }

            @Override
            public void discard(Path directory) throws IOException {
                indexes.discard(directory);
            }
        };
    }

    private final class Counting implements KeyValueIndex {
        private final KeyValueIndex index;

        Counting(KeyValueIndex index) {
            this.index = index;
        }

        @Override
        public Optional<byte[]> get(IndexTable table, byte[] key) {
            gets.increment();
            return index.get(table, key);
        }

        @Override
        public List<Optional<byte[]>> getAll(List<RowKey> rows) {
            whenAskedTogether.getAndSet(() -> {}).run();
            getsTogether.add(rows.size());
            return index.getAll(rows);
        }

        @Override
        public IndexCursor cursor(IndexTable table, byte[] from, byte[] to) {
            return index.cursor(table, from, to);
        }

        @Override
        public KeyValueIndex snapshot() {
            return index.snapshot();
        }

        @Override
        public void write(IndexBatch batch) throws IOException {
            writes.increment();
            beforeWrite.run();
            if (failsWrites) {
                throw new IOException("the index cannot be written");
            }
            index.write(batch);
            afterWrite.run();
        }

        @Override
        public void flush() throws IOException {
            if (failsFlushes) {
                throw new IOException("the index cannot be flushed");
            }
            flushes.increment();
            index.flush();
        }

        @Override
        public boolean hasRoomToFlush() {
            return hasRoom;
        }

        @Override
        public Room room() {
            return room;
        }

        @Override
        public void close() {
            index.close();
        }
    }
}
