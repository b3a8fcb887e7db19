package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import io.volute.storage.index.KeyValueIndex.RowKey;
import io.volute.storage.index.RocksIndexFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** The index alone: rows of the length that an object's has, in a table that was flushed. */
public class IndexRows extends Suite {
    private static final int ROW_BYTES = 120;
    private static final int KEY_BYTES = 32;
    private static final int MANY = 128;
    private static final int FILLED_AT_ONCE = 1000;
    private static final List<IndexTable> TABLES = IndexSettings.tablesNamed(List.of("rows"));
    private static final IndexTable TABLE = TABLES.getFirst();

    /** Rows in the table. */
    @Param("500000")
    private long rows;

    /** Memory for its blocks. */
    @Param({"8", "256"})
    private long cacheMebibytes;

    private Scratch scratch;
    private KeyValueIndex index;
    private SplittableRandom random;
    private byte[] row;
    private IndexCursor cursor;

    /** Fills a new index. */
    @Setup
    public void fill() throws IOException {
        scratch = Scratch.here();
        index =
                new RocksIndexFactory()
                        .open(
                                new IndexSettings(
                                        scratch.directory().resolve("index"),
                                        TABLES,
                                        cacheMebibytes << 20,
                                        64L << 20));
        random = new SplittableRandom(1);
        row = new byte[ROW_BYTES];
        random.nextBytes(row);
        for (long next = 0; next < rows; next += FILLED_AT_ONCE) {
            IndexBatch batch = new IndexBatch();
            for (long i = next; i < Math.min(rows, next + FILLED_AT_ONCE); i++) {
                batch.put(TABLE, key(2 * i), row);
            }
            index.write(batch);
        }
        index.flush();
        cursor = index.cursor(TABLE, new byte[0], new byte[0]);
    }

    /** Odd numbers are not there. */
    private static byte[] key(long number) {
        return ByteBuffer.allocate(KEY_BYTES).putLong(KEY_BYTES - Long.BYTES, number).array();
    }

    private byte[] anyKey() {
        return key(2 * random.nextLong(rows));
    }

    /** Looks up an existing row. */
    @Benchmark
    public Optional<byte[]> get() {
        return index.get(TABLE, anyKey());
    }

    /** Looks up an absent row, as a PUT of a new key does. */
    @Benchmark
    public Optional<byte[]> getAbsent() {
        return index.get(TABLE, key(2 * random.nextLong(rows) + 1));
    }

    /** Looks up 128 rows in one call, as the cleaner does. */
    @Benchmark
    public List<Optional<byte[]>> getMany() {
        List<RowKey> keys = new ArrayList<>(MANY);
        for (int i = 0; i < MANY; i++) {
            keys.add(new RowKey(TABLE, anyKey()));
        }
        return index.getAll(keys);
    }

    /** 128 rows changed in one batch, as a group commit does. */
    @Benchmark
    public void writeMany() throws IOException {
        IndexBatch batch = new IndexBatch();
        for (int i = 0; i < MANY; i++) {
            batch.put(TABLE, anyKey(), row);
        }
        index.write(batch);
    }

    /** The next row of a scan, key and value. */
    @Benchmark
    public int step() {
        if (!cursor.next()) {
            cursor.close();
            cursor = index.cursor(TABLE, new byte[0], new byte[0]);
            return 0;
        }
        return cursor.key().length + cursor.value().length;
    }

    /** Removes the index. */
    @TearDown
    public void close() throws IOException {
        cursor.close();
        index.close();
        scratch.close();
    }
}
