package io.volute.storage.commit;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.cube.CountingIndexes;
import io.volute.storage.cube.CubeFixture;
import io.volute.storage.cube.HookedLog;
import io.volute.storage.cube.LogCube;
import io.volute.storage.format.LogEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroupCommitTest {
    private final CubeFixture fixture = new CubeFixture();
    private LogCube cube;

    /** Holds the committing thread before and after an append. */
    private static final class Gate extends HookedLog.Hooks {
        private final CountDownLatch before = new CountDownLatch(1);
        private final CountDownLatch passBefore = new CountDownLatch(1);
        private final CountDownLatch after = new CountDownLatch(1);
        private final CountDownLatch passAfter = new CountDownLatch(1);
        private final List<List<LogEntry>> batches = new ArrayList<>();

        @Override
        public void beforeAppend(List<LogEntry> entries) {
            batches.add(List.copyOf(entries));
            before.countDown();
            await(passBefore);
        }

        @Override
        public void afterAppend(List<LogEntry> entries) {
            after.countDown();
            await(passAfter);
        }

        void open() {
            passBefore.countDown();
            passAfter.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Throws its failure at the next append after it is armed. */
    private static final class Failing extends HookedLog.Hooks {
        private volatile boolean fails;
        private final IOException failure;

        Failing(IOException failure) {
            this.failure = failure;
        }

        @Override
        public void afterAppend(List<LogEntry> entries) throws IOException {
            if (fails && failure.getMessage().startsWith("force")) {
                throw failure;
            }
        }

        @Override
        public void beforeAppend(List<LogEntry> entries) throws IOException {
            if (fails && !failure.getMessage().startsWith("force")) {
                throw failure;
            }
        }
    }

    private void openWith(HookedLog.Hooks hooks) throws IOException {
        fixture.hooks = hooks;
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        if (cube != null) {
            if (fixture.hooks instanceof Gate gate) {
                gate.open();
            }
            cube.close();
        }
    }

    @Test
    void whatQueuesDuringAForceSharesTheNextOne() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        futures.add(cube.commit(put("first", "")));
        await(gate.before);
        for (int i = 0; i < 200; i++) {
            futures.add(cube.commit(put("key" + i, "")));
        }
        gate.open();
        futures.forEach(CompletableFuture::join);
        assertThat(gate.batches).hasSize(2);
        assertThat(gate.batches.get(1)).hasSize(200);
        assertThat(cube.stats().commits()).isEqualTo(201);
        assertThat(cube.stats().batches()).isEqualTo(2);
    }

    @Test
    void acknowledgesAfterTheForceAndTheIndexOnly() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> future = cube.commit(put("a", "1"));
        await(gate.before);
        assertThat(future).isNotDone();
        assertThat(cube.get(NAMES, utf8("a"))).isEmpty();
        gate.passBefore.countDown();
        await(gate.after);
        assertThat(future).isNotDone();
        assertThat(cube.get(NAMES, utf8("a"))).isEmpty();
        CompletableFuture<Boolean> visible =
                future.thenApply(sequence -> cube.get(NAMES, utf8("a")).isPresent());
        gate.open();
        assertThat(visible.join()).isTrue();
    }

    @Test
    void transactionIsWholeOrAbsentAfterACrash() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> future =
                cube.commit(
                        put("a", "1").put(NAMES, utf8("b"), utf8("2"), utf8("detail"), List.of()));
        await(gate.before);
        CubeFixture absent = fixture.crashImage();
        gate.passBefore.countDown();
        await(gate.after);
        CubeFixture whole = fixture.crashImage();
        gate.open();
        future.join();
        try (LogCube recovered = absent.open()) {
            assertThat(recovered.get(NAMES, utf8("a"))).isEmpty();
            assertThat(recovered.get(NAMES, utf8("b"))).isEmpty();
        }
        try (LogCube recovered = whole.open()) {
            assertThat(recovered.report().replayedEntries()).isEqualTo(2);
            assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
        }
    }

    @Test
    void failedForceIsFinal() throws IOException {
        Failing failing = new Failing(new IOException("force failed"));
        openWith(failing);
        cube.commit(put("before", "1")).join();
        failing.fails = true;
        PendingBlob blob = CubeFixture.blob(cube, new byte[5000]);
        CompletableFuture<Long> waiter = cube.commit(put("a", "1", blob.id()).add(blob));
        assertUnavailable(waiter, Reason.READ_ONLY);
        failing.fails = false;
        assertThat(cube.state()).isEqualTo(CubeState.READ_ONLY);
        assertUnavailable(cube.commit(put("b", "1")), Reason.READ_ONLY);
        assertThatThrownBy(() -> cube.newBlob(java.util.OptionalLong.empty()))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("force failed");
        assertThat(cube.get(NAMES, utf8("before"))).isPresent();
        // The outcome is known at the next start; here the bytes had reached the file.
        try (LogCube recovered = fixture.crashImage().open()) {
            assertThat(recovered.get(NAMES, utf8("a"))).isPresent();
            assertThat(CubeFixture.read(recovered, blob.id())).hasSize(5000);
        }
    }

    @Test
    void failureFailsWhatIsQueuedBehind() throws IOException {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        openWith(
                new HookedLog.Hooks() {
                    @Override
                    public void beforeAppend(List<LogEntry> entries) throws IOException {
                        reached.countDown();
                        await(go);
                        throw new IOException("broken");
                    }
                });
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        futures.add(cube.commit(put("first", "")));
        await(reached);
        for (int i = 0; i < 20; i++) {
            futures.add(cube.commit(put("key", "")));
        }
        go.countDown();
        futures.forEach(future -> assertUnavailable(future, Reason.READ_ONLY));
    }

    /** BUSY: the services of the log take no segment for now. */
    @ParameterizedTest
    @EnumSource(names = {"FULL", "BUSY"})
    void aMissingSegmentFailsOnlyTheBatch(Reason reason) throws IOException {
        Failing failing = new Failing(new CubeUnavailableException(reason, "no segment"));
        openWith(failing);
        failing.fails = true;
        PendingBlob blob = CubeFixture.blob(cube, new byte[100]);
        assertUnavailable(cube.commit(put("a", "1", blob.id()).add(blob)), reason);
        failing.fails = false;
        assertThat(cube.state()).isEqualTo(CubeState.HEALTHY);
        cube.commit(put("a", "1", blob.id()).add(blob)).join();
        assertThat(CubeFixture.read(cube, blob.id())).hasSize(100);
    }

    @Test
    void missingBlobFailsItsTransactionAlone() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> first = cube.commit(put("first", ""));
        await(gate.before);
        CompletableFuture<Long> before = cube.commit(put("before", ""));
        CompletableFuture<Long> missing =
                cube.commit(
                        put("other", "")
                                .put(
                                        NAMES,
                                        utf8("x"),
                                        utf8(""),
                                        new byte[0],
                                        List.of(new BlobId(77))));
        CompletableFuture<Long> after = cube.commit(put("after", ""));
        gate.open();
        first.join();
        before.join();
        after.join();
        assertThatThrownBy(missing::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(MissingBlobException.class);
        assertThat(gate.batches.get(1)).hasSize(2);
        assertThat(cube.get(NAMES, utf8("other"))).isEmpty();
    }

    @Test
    void blobThatDiedInTheSameBatchIsMissing() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        gate.open();
        PendingBlob blob = CubeFixture.blob(cube, new byte[10]);
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        Gate second = new Gate();
        cube.close();
        openWith(second);
        CompletableFuture<Long> first = cube.commit(put("first", ""));
        await(second.before);
        CompletableFuture<Long> death = cube.commit(delete("a"));
        CompletableFuture<Long> late = cube.commit(put("b", "", blob.id()));
        second.open();
        first.join();
        death.join();
        assertThatThrownBy(late::join).hasCauseInstanceOf(MissingBlobException.class);
    }

    @Test
    void moveKeepsTheBlobAlive() throws IOException {
        cube = fixture.open();
        PendingBlob blob = CubeFixture.blob(cube, new byte[10]);
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        cube.commit(delete("a").put(NAMES, utf8("b"), utf8(""), new byte[0], List.of(blob.id())))
                .join();
        assertThat(CubeFixture.read(cube, blob.id())).hasSize(10);
        assertThat(CubeFixture.references(cube)).containsEntry(blob.id().value(), 1L);
    }

    @Test
    void writersOfOneKeyGoIntoSeparateBatches() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> first = cube.commit(put("other", ""));
        await(gate.before);
        CompletableFuture<Long> one = cube.commit(put("a", "1"));
        CompletableFuture<Long> two = cube.commit(put("a", "2"));
        CompletableFuture<Long> three = cube.commit(delete("a"));
        gate.open();
        first.join();
        assertThat(one.join()).isLessThan(two.join());
        assertThat(two.join()).isLessThan(three.join());
        assertThat(gate.batches).hasSize(4);
        assertThat(((LogEntry.RecordPut) gate.batches.get(2).getFirst()).victim().sequence())
                .isEqualTo(one.join());
        assertThat(cube.get(NAMES, utf8("a"))).isEmpty();
    }

    @Test
    void deletingWhatIsNotThereWritesNothing() throws IOException {
        Gate gate = new Gate();
        gate.open();
        openWith(gate);
        cube.commit(delete("nothing")).join();
        cube.commit(new Transaction()).join();
        assertThat(gate.batches).isEmpty();
    }

    @Test
    void lastChangeOfARecordInATransactionWins() throws IOException {
        Gate gate = new Gate();
        gate.open();
        openWith(gate);
        cube.commit(put("a", "1").put(NAMES, utf8("a"), utf8("2"), new byte[0], List.of())).join();
        assertThat(gate.batches.getFirst()).hasSize(1);
        assertThat(cube.get(NAMES, utf8("a")).orElseThrow().summary()).isEqualTo(utf8("2"));
    }

    @Test
    void refusesMistakesOfTheCaller() throws IOException {
        cube = fixture.open();
        PendingBlob unused = CubeFixture.blob(cube, new byte[10]);
        assertRefused(put("a", "").add(unused), "refers to its new blob");
        PendingBlob twice = CubeFixture.blob(cube, new byte[10]);
        cube.commit(put("a", "", twice.id()).add(twice)).join();
        assertRefused(put("b", "", twice.id()).add(twice), "committed or closed already");
        assertRefused(
                put("b", "", new BlobId(9999)).compose(new BlobId(9999), List.of()),
                "never given out");
        assertRefused(put("b", "", twice.id()).compose(twice.id(), List.of()), "is in use");
        BlobId composed = new BlobId(cube.allocateId());
        assertRefused(
                put("b", "", composed)
                        .compose(
                                composed,
                                List.of(new Transaction.Part(twice.id(), 11, new byte[0]))),
                "its part has 11");
        assertRefused(
                new Transaction().put(NAMES, utf8("big"), new byte[60_000], new byte[0], List.of()),
                "a transaction takes at most");
        assertRefused(
                new Transaction()
                        .put(
                                new io.volute.storage.Family(42, "unknown"),
                                utf8("k"),
                                new byte[0],
                                new byte[0],
                                List.of()),
                "family 42");
        try (LogCube other = new CubeFixture().open()) {
            PendingBlob foreign = CubeFixture.blob(other, new byte[10]);
            assertRefused(put("b", "", foreign.id()).add(foreign), "another cube");
        }
        assertThat(cube.state()).isEqualTo(CubeState.HEALTHY);
        assertThat(cube.get(NAMES, utf8("b"))).isEmpty();
    }

    private void assertRefused(Transaction transaction, String message) {
        assertThatThrownBy(() -> cube.commit(transaction).join())
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void closeFinishesWhatIsQueued() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        futures.add(cube.commit(put("first", "")));
        await(gate.before);
        for (int i = 0; i < 20; i++) {
            futures.add(cube.commit(put("key" + i, "")));
        }
        Thread closer = Thread.ofPlatform().start(this::closeUnchecked);
        gate.open();
        UninterruptibleJoin.join(closer);
        futures.forEach(future -> assertThat(future).isCompleted());
        assertUnavailable(cube.commit(put("late", "")), Reason.CLOSED);
        assertThat(cube.state()).isEqualTo(CubeState.CLOSED);
    }

    private void closeUnchecked() {
        try {
            cube.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void submittersWaitWhenTheQueueIsFull() throws IOException {
        Gate gate = new Gate();
        openWith(gate);
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        futures.add(cube.commit(put("first", "")));
        await(gate.before);
        AtomicInteger submitted = new AtomicInteger(1);
        Thread submitter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; i < CommitQueue.UNITS; i++) {
                                        futures.add(cube.commit(put("key" + i, "")));
                                        submitted.incrementAndGet();
                                    }
                                });
        while (submitted.get() < CommitQueue.UNITS
                || submitter.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(submitted).hasValue(CommitQueue.UNITS);
        gate.open();
        UninterruptibleJoin.join(submitter);
        assertThat(futures).hasSize(CommitQueue.UNITS + 1);
        futures.forEach(CompletableFuture::join);
    }

    @Test
    void putOfANewKeyCostsOneLookUp() throws IOException {
        CountingIndexes counting = new CountingIndexes();
        fixture.indexWrapper = counting::over;
        cube = fixture.open();
        PendingBlob blob = CubeFixture.blob(cube, new byte[10]);
        counting.gets.reset();
        counting.writes.reset();
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        assertThat(counting.gets.sum()).isEqualTo(1);
        assertThat(counting.writes.sum()).isEqualTo(1);
    }

    private List<CompletableFuture<Long>> putEach(String summary) throws IOException {
        return putEach(0, 20, summary);
    }

    private List<CompletableFuture<Long>> putEach(int from, int to, String summary)
            throws IOException {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = from; i < to; i++) {
            PendingBlob blob = CubeFixture.blob(cube, new byte[10]);
            futures.add(cube.commit(put("key" + i, summary, blob.id()).add(blob)));
        }
        return futures;
    }

    @Test
    void whatABatchReplacesIsLookedUpTogether() throws IOException {
        CountingIndexes counting = new CountingIndexes();
        fixture.indexWrapper = counting::over;
        cube = fixture.open();
        putEach("old").forEach(CompletableFuture::join);
        cube.close();
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> first = cube.commit(put("first", ""));
        await(gate.before);
        List<CompletableFuture<Long>> futures = putEach("new");
        counting.gets.reset();
        counting.getsTogether.reset();
        gate.open();
        first.join();
        futures.forEach(CompletableFuture::join);
        assertThat(counting.getsTogether.sum()).as("records and their blobs").isEqualTo(2 * 20);
        assertThat(counting.gets.sum()).isZero();
        assertThat(cube.get(NAMES, utf8("key7")).orElseThrow().summary()).isEqualTo(utf8("new"));
    }

    @Test
    void whatQueuesWhileABatchFillsIsLookedUpTogetherToo() throws IOException {
        CountingIndexes counting = new CountingIndexes();
        fixture.indexWrapper = counting::over;
        Gate gate = new Gate();
        openWith(gate);
        CompletableFuture<Long> first = cube.commit(put("first", ""));
        await(gate.before);
        List<CompletableFuture<Long>> early = putEach(0, 10, "early");
        CompletableFuture<List<CompletableFuture<Long>>> late = new CompletableFuture<>();
        counting.whenAskedTogether.set(() -> late.complete(putLate()));
        gate.open();
        first.join();
        early.forEach(CompletableFuture::join);
        late.join().forEach(CompletableFuture::join);
        assertThat(counting.getsTogether.sum()).isEqualTo(20);
        assertThat(gate.batches).hasSize(2);
    }

    private List<CompletableFuture<Long>> putLate() {
        try {
            return putEach(10, 20, "late");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertUnavailable(CompletableFuture<Long> future, Reason reason) {
        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(CubeUnavailableException.class)
                .satisfies(
                        e ->
                                assertThat(((CubeUnavailableException) e.getCause()).reason())
                                        .isEqualTo(reason));
    }
}
