package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BatchSeal;
import io.volute.storage.Transaction;
import io.volute.storage.format.LogEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BatchSealTest {
    private final CubeFixture fixture = new CubeFixture();
    private final List<List<LogEntry>> appended = new ArrayList<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    /** A record with all notes, in its detail. */
    private static final class UninterruptibleJoin implements BatchSeal {
        private static final int RECORD_BYTES = 128;
        private final List<Long> sequences = new ArrayList<>();

        @Override
        public int bytesMax() {
            return RECORD_BYTES;
        }

        @Override
        public int noteBytesMax() {
            return 8;
        }

        @Override
        public Transaction seal(List<byte[]> notes, long sequence) {
            String all =
                    notes.stream()
                            .map(each -> new String(each, StandardCharsets.UTF_8))
                            .collect(Collectors.joining());
            sequences.add(sequence);
            byte[] key = utf8("seal-" + sequences.size());
            return new Transaction().put(NAMES, key, utf8(""), utf8(all), List.of());
        }
    }

    /** Holds the first append, so that all else queues. */
    private LogCube held() throws IOException {
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforeAppend(List<LogEntry> entries) {
                        appended.add(List.copyOf(entries));
                        reached.countDown();
                        try {
                            go.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                };
        return fixture.open();
    }

    private static Transaction noted(String key, String note) {
        return put(key, "").note(utf8(note));
    }

    @Test
    void oneSealVouchesForAllNotesOfABatch() throws IOException, InterruptedException {
        UninterruptibleJoin seal = new UninterruptibleJoin();
        try (LogCube cube = held()) {
            cube.sealWith(seal);
            CompletableFuture<Long> plain = cube.commit(put("plain", ""));
            reached.await();
            CompletableFuture<Long> one = cube.commit(noted("a", "A"));
            CompletableFuture<Long> none = cube.commit(put("b", ""));
            CompletableFuture<Long> two = cube.commit(noted("c", "B").note(utf8("C")));
            go.countDown();
            plain.join();
            one.join();
            none.join();
            assertThat(seal.sequences).containsExactly(two.join());
            assertThat(appended.get(1)).hasSize(4);
            assertThat(detail(cube, "seal-1")).isEqualTo("ABC");
            assertThat(cube.lastSequence()).isGreaterThan(two.join());
        }
    }

    @Test
    void sealIsInTheLogWithWhatItVouchesForOrNotAtAll() throws IOException, InterruptedException {
        CubeFixture absent;
        try (LogCube cube = held()) {
            cube.sealWith(new UninterruptibleJoin());
            CompletableFuture<Long> commit = cube.commit(noted("a", "A"));
            reached.await();
            absent = fixture.crashImage();
            go.countDown();
            commit.join();
            try (LogCube whole = fixture.crashImage().open()) {
                assertThat(detail(whole, "seal-1")).isEqualTo("A");
                assertThat(whole.get(NAMES, utf8("a"))).isPresent();
            }
        }
        try (LogCube before = absent.open()) {
            assertThat(before.get(NAMES, utf8("seal-1"))).isEmpty();
            assertThat(before.get(NAMES, utf8("a"))).isEmpty();
        }
    }

    @Test
    void roomForTheSealIsKept() throws IOException, InterruptedException {
        UninterruptibleJoin seal = new UninterruptibleJoin();
        Map<String, CompletableFuture<Long>> commits = new LinkedHashMap<>();
        try (LogCube cube = held()) {
            cube.sealWith(seal);
            commits.put("held", cube.commit(put("held", "")));
            reached.await();
            byte[] detail = new byte[(int) (cube.transactionBytesMax() / 9)];
            for (int i = 0; i < 40; i++) {
                Transaction large =
                        new Transaction().put(NAMES, utf8("k" + i), utf8(""), detail, List.of());
                commits.put("k" + i, cube.commit(large.note(utf8("12345678"))));
            }
            go.countDown();
            commits.values().forEach(CompletableFuture::join);
            assertThat(seal.sequences).hasSize(appended.size() - 1).hasSizeGreaterThan(3);
            for (String key : commits.keySet()) {
                assertThat(cube.get(NAMES, utf8(key))).isPresent();
            }
        }
    }

    @Test
    void whatHasNoRoomBesideItsSealIsRefusedForGood() throws IOException {
        try (LogCube cube = fixture.open()) {
            long without = cube.transactionBytesMax();
            cube.sealWith(new UninterruptibleJoin());
            assertThat(cube.transactionBytesMax())
                    .isEqualTo(without - UninterruptibleJoin.RECORD_BYTES);
            byte[] detail = new byte[(int) without - UninterruptibleJoin.RECORD_BYTES];
            Transaction large =
                    new Transaction().put(NAMES, utf8("k"), utf8(""), detail, List.of());
            CompletableFuture<Long> commit = cube.commit(large.note(utf8("note")));
            assertThatThrownBy(commit::join).hasMessageContaining("takes at most");
            cube.commit(noted("small", "A")).join();
        }
    }

    @Test
    void notesThatNobodySealsAreRefused() throws IOException {
        try (LogCube cube = fixture.open()) {
            CompletableFuture<Long> commit = cube.commit(noted("a", "A"));
            assertThatThrownBy(commit::join).hasMessageContaining("nothing seals them");
            assertThat(cube.get(NAMES, utf8("a"))).isEmpty();
        }
    }

    private static String detail(LogCube cube, String key) throws IOException {
        byte[] name = utf8(key);
        byte[] bytes = cube.readDetail(NAMES, name, cube.get(NAMES, name).orElseThrow());
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
