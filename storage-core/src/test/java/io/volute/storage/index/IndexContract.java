package io.volute.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.index.KeyValueIndex.RowKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every index. */
abstract class IndexContract {
    private static final List<IndexTable> TABLES = IndexSettings.tablesNamed(List.of("one", "two"));
    private static final IndexTable ONE = TABLES.get(0);
    private static final IndexTable TWO = TABLES.get(1);
    private static final byte[] NONE = {};

    @TempDir Path directory;
    final IndexFactory factory = factory();

    abstract IndexFactory factory();

    private IndexSettings settings(List<IndexTable> tables) {
        return new IndexSettings(directory.resolve("index"), tables, 1 << 20, 4 << 20);
    }

    private KeyValueIndex open() throws IOException {
        return factory.open(settings(TABLES));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static IndexBatch put(IndexTable table, String key, String value) {
        IndexBatch batch = new IndexBatch();
        batch.put(table, utf8(key), utf8(value));
        return batch;
    }

    private static String get(KeyValueIndex index, IndexTable table, String key) {
        return text(index.get(table, utf8(key)));
    }

    private static String text(Optional<byte[]> value) {
        return value.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("-");
    }

    private static List<String> keys(IndexCursor cursor) {
        List<String> keys = new ArrayList<>();
        while (cursor.next()) {
            keys.add(new String(cursor.key(), StandardCharsets.UTF_8));
        }
        return keys;
    }

    private static void writeThreeRows(KeyValueIndex index) throws IOException {
        IndexBatch batch = put(ONE, "a", "1");
        batch.put(TWO, utf8("a"), utf8("2"));
        batch.put(ONE, utf8("empty"), NONE);
        index.write(batch);
    }

    @Test
    void readsWhatWasWritten() throws IOException {
        try (KeyValueIndex index = open()) {
            writeThreeRows(index);
            assertThat(get(index, ONE, "a")).isEqualTo("1");
            assertThat(get(index, TWO, "a")).isEqualTo("2");
            assertThat(get(index, ONE, "empty")).isEmpty();
            assertThat(get(index, ONE, "b")).isEqualTo("-");
            IndexBatch gone = new IndexBatch();
            gone.delete(ONE, utf8("a"));
            gone.delete(ONE, utf8("never there"));
            index.write(gone);
            assertThat(get(index, ONE, "a")).isEqualTo("-");
        }
    }

    @Test
    void readsManyRowsInTheOrderAsked() throws IOException {
        try (KeyValueIndex index = open()) {
            writeThreeRows(index);
            List<RowKey> asked =
                    List.of(
                            new RowKey(TWO, utf8("a")),
                            new RowKey(ONE, utf8("missing")),
                            new RowKey(ONE, utf8("empty")),
                            new RowKey(ONE, utf8("a")),
                            new RowKey(TWO, utf8("a")));
            assertThat(index.getAll(asked))
                    .extracting(IndexContract::text)
                    .containsExactly("2", "-", "", "1", "2");
            assertThat(index.getAll(List.of())).isEmpty();
        }
    }

    @Test
    void laterChangesOfABatchWin() throws IOException {
        try (KeyValueIndex index = open()) {
            IndexBatch batch = put(ONE, "a", "1");
            batch.delete(ONE, utf8("a"));
            batch.put(ONE, utf8("a"), utf8("2"));
            index.write(batch);
            assertThat(get(index, ONE, "a")).isEqualTo("2");
        }
    }

    @Test
    void flushKeepsAllTablesTogetherAndTheRestIsLost() throws IOException {
        try (KeyValueIndex index = open()) {
            IndexBatch batch = put(ONE, "a", "1");
            batch.put(TWO, utf8("a"), utf8("1"));
            index.write(batch);
            index.flush();
            index.write(put(ONE, "a", "2"));
            index.write(put(TWO, "b", "2"));
        }
        try (KeyValueIndex index = open()) {
            assertThat(get(index, ONE, "a")).isEqualTo("1");
            assertThat(get(index, TWO, "a")).isEqualTo("1");
            assertThat(get(index, TWO, "b")).isEqualTo("-");
        }
    }

    @Test
    void cursorWalksItsRangeInByteOrder() throws IOException {
        try (KeyValueIndex index = open()) {
            for (String key : List.of("b", "a", "d", "c", "\u00e9")) {
                index.write(put(ONE, key, key));
            }
            index.write(put(TWO, "aa", "other table"));
            assertThat(keys(index.cursor(ONE, NONE, NONE)))
                    .containsExactly("a", "b", "c", "d", "\u00e9");
            assertThat(keys(index.cursor(ONE, utf8("b"), utf8("d")))).containsExactly("b", "c");
            assertThat(keys(index.cursor(ONE, utf8("bb"), NONE)))
                    .containsExactly("c", "d", "\u00e9");
            assertThat(keys(index.cursor(ONE, utf8("d"), utf8("b")))).isEmpty();
            assertThat(keys(index.cursor(ONE, utf8("z"), utf8("zz")))).isEmpty();
        }
    }

    @Test
    void snapshotStaysAsItWasInAllTables() throws IOException {
        try (KeyValueIndex index = open()) {
            index.write(put(ONE, "a", "1"));
            index.write(put(TWO, "a", "1"));
            KeyValueIndex snapshot = index.snapshot();
            IndexBatch later = put(ONE, "a", "2");
            later.put(ONE, utf8("b"), utf8("2"));
            later.delete(TWO, utf8("a"));
            index.write(later);
            assertThat(get(snapshot, ONE, "a")).isEqualTo("1");
            assertThat(get(snapshot, ONE, "b")).isEqualTo("-");
            assertThat(get(snapshot, TWO, "a")).isEqualTo("1");
            assertThat(keys(snapshot.cursor(ONE, NONE, NONE))).containsExactly("a");
            assertThat(keys(snapshot.cursor(TWO, NONE, NONE))).containsExactly("a");
            snapshot.close();
            assertThatThrownBy(() -> snapshot.get(ONE, utf8("a")))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(get(index, ONE, "a")).isEqualTo("2");
        }
    }

    @Test
    void cursorSeeksWithinItsRange() throws IOException {
        try (KeyValueIndex index = open()) {
            for (String key : List.of("a", "b", "c", "d")) {
                index.write(put(ONE, key, "value of " + key));
            }
            try (IndexCursor cursor = index.cursor(ONE, utf8("b"), utf8("d"))) {
                assertThat(cursor.seek(utf8("bb"))).isTrue();
                assertThat(cursor.key()).isEqualTo(utf8("c"));
                assertThat(cursor.value()).isEqualTo(utf8("value of c"));
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.seek(utf8("a"))).isTrue();
                assertThat(cursor.key()).isEqualTo(utf8("b"));
                assertThat(cursor.seek(utf8("d"))).isFalse();
            }
        }
    }

    /** Near ones by steps, far ones by a seek: the same either way. */
    @Test
    void cursorSkipsAhead() throws IOException {
        try (KeyValueIndex index = open()) {
            TreeSet<String> keys = new TreeSet<>();
            for (int i = 0; i < 1000; i++) {
                String key = "k%03d".formatted(i) + (i % 50 == 0 ? "-long".repeat(40) : "");
                keys.add(key);
                index.write(put(ONE, key, key.repeat(2)));
            }
            SplittableRandom random = new SplittableRandom(5);
            for (int round = 0; round < 50; round++) {
                int at = 10 + random.nextInt(30);
                try (IndexCursor cursor = index.cursor(ONE, utf8("k010"), utf8("k900"))) {
                    while (at < 1000) {
                        String wanted = "k%03d".formatted(at) + (random.nextBoolean() ? "" : "+");
                        String next = keys.ceiling(wanted);
                        boolean isThere = next != null && next.compareTo("k900") < 0;
                        assertThat(cursor.skipTo(utf8(wanted))).as(wanted).isEqualTo(isThere);
                        if (isThere) {
                            assertThat(cursor.key()).as(wanted).isEqualTo(utf8(next));
                            assertThat(cursor.value()).as(wanted).isEqualTo(utf8(next.repeat(2)));
                            String behind = keys.higher(next);
                            assertThat(cursor.next()).isEqualTo(behind.compareTo("k900") < 0);
                            if (behind.compareTo("k900") < 0) {
                                assertThat(cursor.key()).as(wanted).isEqualTo(utf8(behind));
                            }
                        }
                        at += 4 + random.nextInt(round % 2 == 0 ? 10 : 60);
                    }
                    assertThat(cursor.skipTo(utf8("k901"))).isFalse();
                }
            }
        }
    }

    /** Skips that were alike say nothing of the next one. */
    @Test
    void cursorSkipsAheadInStridesThatChange() throws IOException {
        int[] others = {1, 2, 8, 10, 15, 16, 17, 40};
        try (KeyValueIndex index = open()) {
            for (int i = 0; i < 500; i++) {
                index.write(put(ONE, "k%03d".formatted(i), "v"));
            }
            for (int alike = 2; alike < 8; alike++) {
                for (int other : others) {
                    try (IndexCursor cursor = index.cursor(ONE, NONE, utf8("k490"))) {
                        assertThat(cursor.next()).isTrue();
                        int at = 0;
                        for (int i = 0; at < 500; i++) {
                            at += i % (alike + 1) == alike ? other : 9;
                            String wanted = "k%03d".formatted(at);
                            assertThat(cursor.skipTo(utf8(wanted))).as(wanted).isEqualTo(at < 490);
                            if (at < 490) {
                                assertThat(cursor.key()).isEqualTo(utf8(wanted));
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void cursorSeesTheMomentItWasOpened() throws IOException {
        try (KeyValueIndex index = open()) {
            index.write(put(ONE, "a", "1"));
            index.write(put(ONE, "b", "1"));
            try (IndexCursor cursor = index.cursor(ONE, NONE, NONE)) {
                IndexBatch batch = put(ONE, "a", "2");
                batch.delete(ONE, utf8("b"));
                batch.put(ONE, utf8("c"), utf8("2"));
                index.write(batch);
                index.flush();
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.value()).isEqualTo(utf8("1"));
                assertThat(keys(cursor)).containsExactly("b");
            }
        }
    }

    @Test
    void agreesWithASortedMap() throws IOException {
        Random random = new Random(7);
        TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        TreeMap<byte[], byte[]> durable = new TreeMap<>(Arrays::compareUnsigned);
        KeyValueIndex index = open();
        for (int step = 0; step < 2000; step++) {
            byte[] key = new byte[1 + random.nextInt(2)];
            random.nextBytes(key);
            IndexBatch batch = new IndexBatch();
            if (random.nextInt(4) == 0) {
                batch.delete(ONE, key);
                model.remove(key);
            } else {
                byte[] value = new byte[random.nextInt(50)];
                random.nextBytes(value);
                batch.put(ONE, key, value);
                model.put(key, value);
            }
            index.write(batch);
            if (random.nextInt(200) == 0) {
                index.flush();
                durable.clear();
                durable.putAll(model);
            } else if (random.nextInt(300) == 0) {
                index.close();
                index = open();
                model.clear();
                model.putAll(durable);
            }
        }
        List<byte[]> values = new ArrayList<>();
        try (IndexCursor cursor = index.cursor(ONE, NONE, NONE)) {
            while (cursor.next()) {
                values.add(cursor.value());
            }
        }
        assertThat(values)
                .usingElementComparator(Arrays::compareUnsigned)
                .isEqualTo(List.copyOf(model.values()));
        index.close();
    }

    @Test
    void closedIndexSaysSo() throws IOException {
        KeyValueIndex index = open();
        IndexCursor cursor = index.cursor(ONE, NONE, NONE);
        index.close();
        index.close();
        assertThatThrownBy(() -> index.get(ONE, utf8("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        cursor.close();
    }

    @Test
    void discardedIndexIsGone() throws IOException {
        assertThat(factory.exists(directory.resolve("index"))).isFalse();
        try (KeyValueIndex index = open()) {
            index.write(put(ONE, "a", "1"));
            index.flush();
        }
        assertThat(factory.exists(directory.resolve("index"))).isTrue();
        factory.discard(directory.resolve("index"));
        assertThat(factory.exists(directory.resolve("index"))).isFalse();
        factory.discard(directory.resolve("index"));
        try (KeyValueIndex index = open()) {
            assertThat(get(index, ONE, "a")).isEqualTo("-");
        }
    }

    @Test
    void tablesThatAreNotKnownMakeItUnusable() throws IOException {
        open().close();
        assertThatThrownBy(() -> factory.open(settings(IndexSettings.tablesNamed(List.of("one")))))
                .isInstanceOf(IndexUnusableException.class)
                .hasMessageContaining("two");
    }
}
