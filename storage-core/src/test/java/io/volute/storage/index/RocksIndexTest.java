package io.volute.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

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
        factory.open(settings()).close();
        Files.writeString(directory.resolve("index").resolve("CURRENT"), "garbage\n");
        assertThatThrownBy(() -> factory.open(settings()))
                .isInstanceOf(IndexUnusableException.class)
                .hasMessageContaining(directory.toString());
    }

    @Test
    void missingTableFileIsUnusable() throws IOException {
        try (KeyValueIndex index = factory.open(settings())) {
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
        assertThatThrownBy(() -> factory.open(settings()))
                .isInstanceOf(IndexUnusableException.class);
    }

    /** A crash here would end the whole test process. */
    @Test
    void readersThatRaceWithTheCloseGetAnException() throws Exception {
        KeyValueIndex index = factory.open(settings());
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
