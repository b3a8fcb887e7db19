package io.volute.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;

@Tag("slow")
class RocksIndexTest extends IndexContract {
    private static final List<IndexTable> TABLES = IndexSettings.tablesNamed(List.of("one"));

    @Override
    IndexFactory factory() {
        return new RocksIndexFactory();
    }

    private IndexSettings settings() {
        return new IndexSettings(directory.resolve("index"), TABLES, 1 << 20, 4 << 20);
    }

    @Test
    void garbageIsUnusable() throws IOException {
        factory().open(settings()).close();
        Files.writeString(directory.resolve("index").resolve("CURRENT"), "garbage\n");
        assertThatThrownBy(() -> factory().open(settings()))
                .isInstanceOf(IndexUnusableException.class)
                .hasMessageContaining(directory.toString());
    }

    @Test
    void missingTableFileIsUnusable() throws IOException {
        try (KeyValueIndex index = factory().open(settings())) {
            IndexBatch batch = new IndexBatch();
            batch.put(TABLES.getFirst(), utf8("a"), utf8("1"));
            index.write(batch);
            index.flush();
        }
        try (var files = Files.list(directory.resolve("index"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".sst")).toList()) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> factory().open(settings()))
                .isInstanceOf(IndexUnusableException.class);
    }

    /** Opens an index like the first version, with files on several levels. */
    @Test
    void opensWhatWasMergedByLevel() throws Exception {
        int rows = 20_000;
        writeByLevel(rows);
        try (KeyValueIndex index = factory().open(settings())) {
            for (int round = 0; round < 8; round++) {
                IndexBatch batch = new IndexBatch();
                for (int i = round; i < rows; i += 8) {
                    batch.put(TABLES.getFirst(), utf8("key" + i), utf8("new" + i));
                }
                index.write(batch);
                index.flush();
            }
        }
        try (KeyValueIndex index = factory().open(settings())) {
            for (int i = 0; i < rows; i++) {
                assertThat(index.get(TABLES.getFirst(), utf8("key" + i))).hasValue(utf8("new" + i));
            }
        }
    }

    @Test
    void tellsWhatItNeedsOfTheFileSystem() throws IOException {
        try (KeyValueIndex index = factory().open(settings())) {
            assertThat(index.room().flushBytes()).isZero();
            write(index, 1000);
            assertThat(index.room().flushBytes()).isBetween(1_000_000L, 1_100_000L);
            write(index, 10_000);
            assertThat(index.room().flushBytes()).as("the write buffer").isEqualTo(4 << 20);
            index.flush();
            assertThat(index.room().flushBytes()).isZero();
            assertThat(index.room().mergeBytes()).isBetween(5_000_000L, 12_000_000L);
        }
        try (KeyValueIndex index = factory().open(settings())) {
            assertThat(index.room().mergeBytes()).isBetween(5_000_000L, 12_000_000L);
        }
    }

    private static void write(KeyValueIndex index, int rows) throws IOException {
        for (int i = 0; i < rows; i++) {
            IndexBatch batch = new IndexBatch();
            byte[] value = new byte[1000];
            new Random(i).nextBytes(value);
            batch.put(TABLES.getFirst(), utf8("key" + i), value);
            index.write(batch);
        }
    }

    private void writeByLevel(int rows) throws Exception {
        factory().open(settings()).close();
        try (DBOptions options = new DBOptions();
                ColumnFamilyOptions leveled =
                        new ColumnFamilyOptions()
                                .setCompactionStyle(CompactionStyle.LEVEL)
                                .setCompressionType(CompressionType.NO_COMPRESSION)
                                .setTargetFileSizeBase(64 << 10)
                                .setMaxBytesForLevelBase(128 << 10)) {
            List<ColumnFamilyHandle> tables = new ArrayList<>();
            List<ColumnFamilyDescriptor> names =
                    Stream.of("default", "one")
                            .map(name -> new ColumnFamilyDescriptor(utf8(name), leveled))
                            .toList();
            String path = settings().directory().toString();
            try (RocksDB database = RocksDB.open(options, path, names, tables)) {
                for (int run = 0; run < 10; run++) {
                    for (int i = run; i < rows; i += 10) {
                        database.put(tables.get(1), utf8("key" + i), utf8("old" + i));
                    }
                    try (FlushOptions flush = new FlushOptions()) {
                        database.flush(flush, tables.get(1));
                    }
                }
                database.compactRange(tables.get(1));
                assertThat(database.getLiveFilesMetaData())
                        .hasSizeGreaterThan(1)
                        .allMatch(file -> file.level() > 0);
                tables.forEach(ColumnFamilyHandle::close);
            }
        }
    }

    /** A crash here would end the whole test process. */
    @Test
    void readersThatRaceWithTheCloseGetAnException() throws Exception {
        KeyValueIndex index = factory().open(settings());
        IndexBatch batch = new IndexBatch();
        for (int i = 0; i < 1000; i++) {
            batch.put(TABLES.getFirst(), utf8("key" + i), utf8("value"));
        }
        index.write(batch);
        CountDownLatch reading = new CountDownLatch(4);
        LongAdder ended = new LongAdder();
        List<Thread> readers =
                List.of(1, 2, 3, 4).stream()
                        .map(
                                each ->
                                        Thread.ofPlatform()
                                                .start(() -> readForEver(index, reading, ended)))
                        .toList();
        reading.await();
        index.close();
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(ended.sum()).isEqualTo(4);
    }

    private static void readForEver(KeyValueIndex index, CountDownLatch reading, LongAdder ended) {
        try {
            while (true) {
                assertThat(index.get(TABLES.getFirst(), utf8("key1"))).isPresent();
                try (IndexCursor cursor =
                        index.cursor(TABLES.getFirst(), new byte[0], new byte[0])) {
                    while (cursor.next()) {
                        assertThat(cursor.value()).isNotEmpty();
                    }
                }
                reading.countDown();
            }
        } catch (IllegalStateException e) {
            ended.increment();
        }
    }
}
