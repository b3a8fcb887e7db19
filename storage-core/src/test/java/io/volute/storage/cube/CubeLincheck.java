package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Group commit and index together are linearizable: a commit that has been answered is seen by
 * every later read, one that spans keys is seen wholly or not at all. Index flushes and the release
 * of segments go on meanwhile.
 */
class CubeLincheck {
    private static final AtomicLong INSTANCES = new AtomicLong();

    /** One for all executions: each works on keys of its own. */
    private static LogCube cube;

    @BeforeEach
    void open() throws IOException {
        CubeFixture fixture = new CubeFixture();
        fixture.flushesInBackground = true;
        fixture.flushLogBytes = 1 << 20;
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    @Test
    void commitsAndReadsAreLinearizable() {
        LincheckRuns.stress()
                .sequentialSpecification(MapOfKeys.class)
                .check(OperationsOnTheCube.class);
    }

    /** The canary: answers before the commit is in the index must be found. */
    @Test
    void findsAnswersThatComeTooEarly() {
        assertThatThrownBy(
                        () ->
                                LincheckRuns.canary()
                                        .sequentialSpecification(MapOfKeys.class)
                                        .check(EarlyAnswers.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    /** The operations of the threads on the cube. */
    @Param(name = "key", gen = IntGen.class, conf = "0:2")
    @Param(name = "value", gen = IntGen.class, conf = "1:9")
    public static class OperationsOnTheCube {
        private final String prefix = "%016x-".formatted(INSTANCES.incrementAndGet());

        void answered(CompletableFuture<Long> commit) {
            commit.join();
        }

        @Operation
        public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
            answered(cube.commit(CubeFixture.put(prefix + key, Integer.toString(value))));
        }

        @Operation
        public void delete(@Param(name = "key") int key) {
            answered(cube.commit(CubeFixture.delete(prefix + key)));
        }

        @Operation
        public void putAll(@Param(name = "value") int value) {
            Transaction transaction = new Transaction();
            for (int key = 2; key >= 0; key--) {
                transaction.put(
                        CubeFixture.NAMES,
                        CubeFixture.utf8(prefix + key),
                        CubeFixture.utf8(Integer.toString(value)),
                        new byte[0],
                        List.of());
            }
            answered(cube.commit(transaction));
        }

        @Operation
        public String get(@Param(name = "key") int key) {
            Optional<StoredRecord> found =
                    cube.get(CubeFixture.NAMES, CubeFixture.utf8(prefix + key));
            return found.map(record -> text(record.summary())).orElse("none");
        }

        @Operation
        public String list() {
            TreeMap<Integer, String> found = new TreeMap<>();
            byte[] from = CubeFixture.utf8(prefix);
            byte[] to = from.clone();
            to[to.length - 1]++;
            try (RecordCursor rows = cube.scan(CubeFixture.NAMES, from, to)) {
                while (rows.next()) {
                    String key = text(Arrays.copyOfRange(rows.key(), from.length, from.length + 1));
                    found.put(Integer.valueOf(key), text(rows.record().summary()));
                }
            }
            return found.toString();
        }

        /** Leaves nothing that keeps segments. */
        @Validate
        public void clear() {
            Transaction transaction = new Transaction();
            for (int key = 0; key < 3; key++) {
                transaction.delete(CubeFixture.NAMES, CubeFixture.utf8(prefix + key));
            }
            cube.commit(transaction).join();
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** A variant with a planted mistake: no thread waits for the commit. */
    public static class EarlyAnswers extends OperationsOnTheCube {
        @Override
        void answered(CompletableFuture<Long> commit) {
            if (commit.isCompletedExceptionally()) {
                throw new AssertionError(commit.toString());
            }
        }
    }

    /** The sequential specification. */
    public static class MapOfKeys {
        private final TreeMap<Integer, String> values = new TreeMap<>();

        public void put(int key, int value) {
            values.put(key, Integer.toString(value));
        }

        public void delete(int key) {
            values.remove(key);
        }

        public void putAll(int value) {
            for (int key = 0; key < 3; key++) {
                put(key, value);
            }
        }

        public String get(int key) {
            return values.getOrDefault(key, "none");
        }

        public String list() {
            return values.toString();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof MapOfKeys map && values.equals(map.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }
    }
}
