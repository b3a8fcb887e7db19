package io.volute.storage.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksRunMergerTest {
    private static final IndexTable WALKED = new IndexTable(0, "walked", true);
    private static final IndexTable LOOKED_UP = new IndexTable(1, "looked-up", false);
    private static final int ROWS = 300;

    @TempDir Path directory;

    private KeyValueIndex open() throws IOException {
        return new RocksIndexFactory()
                .open(
                        new IndexSettings(
                                directory.resolve("index"),
                                List.of(WALKED, LOOKED_UP),
                                1 << 20,
                                4 << 20));
    }

    /** Rows of about a kilobyte; each flush leaves a run. */
    @BeforeEach
    void writesThreeRuns() throws IOException {
        try (KeyValueIndex index = open()) {
            for (int run = 0; run < 3; run++) {
                write(index, WALKED, run, ROWS);
                write(index, LOOKED_UP, run, ROWS);
                index.flush();
            }
        }
    }

    private static void write(KeyValueIndex index, IndexTable table, int run, int rows)
            throws IOException {
        Random random = new Random(run);
        IndexBatch batch = new IndexBatch();
        for (int row = 0; row < rows; row++) {
            byte[] value = new byte[1000];
            random.nextBytes(value);
            batch.put(table, key(run, row), value);
        }
        index.write(batch);
    }

    private static byte[] key(int run, int row) {
        return String.format("%04d/%d", row, run).getBytes(UTF_8);
    }

    private long files() throws IOException {
        try (var files = Files.list(directory.resolve("index"))) {
            return files.filter(file -> file.toString().endsWith(".sst")).count();
        }
    }

    @Test
    void runsOfWalkedTablesBecomeOne() throws IOException {
        assertThat(files()).isEqualTo(6);
        try (KeyValueIndex index = open()) {
            assertThat(index.merging().merge()).isTrue();
            try (IndexCursor cursor = index.cursor(WALKED, new byte[0], new byte[0])) {
                for (int row = 0; row < ROWS; row++) {
                    for (int run = 0; run < 3; run++) {
                        assertThat(cursor.next()).isTrue();
                        assertThat(cursor.key()).isEqualTo(key(run, row));
                    }
                }
                assertThat(cursor.next()).isFalse();
            }
            assertThat(index.merging().merge()).as("again").isFalse();
        }
        open().close();
        assertThat(files()).as("one run, and three of what is looked up").isEqualTo(4);
    }

    @Test
    void aLittleBesideTheGreatestRunStays() throws IOException {
        try (KeyValueIndex index = open()) {
            assertThat(index.merging().merge()).isTrue();
            write(index, WALKED, 3, ROWS / 4);
            index.flush();
            assertThat(index.merging().merge()).as("a thirteenth").isFalse();
            write(index, WALKED, 4, ROWS);
            index.flush();
            assertThat(index.merging().merge()).as("a third").isTrue();
        }
    }

    @Test
    void anEndLeavesTheRunsAsTheyAre() throws IOException {
        try (KeyValueIndex index = open()) {
            index.merging().end();
            assertThat(index.merging().merge()).isFalse();
        }
        assertThat(files()).isEqualTo(6);
    }

    @Test
    void itIsWorthItFromAnEighthOn() {
        long free = 1000;
        assertThat(RocksRunMerger.isWorthIt(List.of(), free)).isFalse();
        assertThat(RocksRunMerger.isWorthIt(List.of(80L), free)).isFalse();
        assertThat(RocksRunMerger.isWorthIt(List.of(9L, 71L), free)).isFalse();
        assertThat(RocksRunMerger.isWorthIt(List.of(5L, 70L, 5L), free)).isTrue();
    }

    @Test
    void itIsPutOffWhileSpaceIsShort() {
        assertThat(RocksRunMerger.isWorthIt(List.of(40L, 40L), 239)).isFalse();
        assertThat(RocksRunMerger.isWorthIt(List.of(40L, 40L), 240)).isTrue();
    }
}
