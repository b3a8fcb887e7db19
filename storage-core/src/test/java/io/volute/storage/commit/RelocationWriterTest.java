package io.volute.storage.commit;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.cube.CountingIndexes;
import io.volute.storage.cube.CubeFixture;
import io.volute.storage.cube.HookedLog;
import io.volute.storage.cube.LogCube;
import io.volute.storage.format.LogEntry;
import io.volute.testing.ThreadsMayDie;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The actions that the committing thread may take while a relocation is published, and those that
 * must wait.
 */
class RelocationWriterTest {
    private static final int KEYS = 12;
    private static final String WRITER = "relocate-0";
    private static final String COMMITTER = "commit-0";

    private final CubeFixture fixture = new CubeFixture();
    private final CountingIndexes indexes = new CountingIndexes();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final List<String> written = Collections.synchronizedList(new ArrayList<>());
    private final List<LogEntry> logged = Collections.synchronizedList(new ArrayList<>());
    private LogCube cube;
    private long dead;
    private PendingBlob shared;
    private CompletableFuture<Void> cleaning;
    private final AtomicBoolean isFull = new AtomicBoolean();
    private volatile Optional<Error> dying = Optional.empty();

    /** A pass over a segment of keys, whose rows are held up on their way into the index. */
    @BeforeEach
    void clean() throws IOException {
        fixture.indexWrapper = indexes::over;
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforeAppend(List<LogEntry> entries) throws IOException {
                        if (isFull.getAndSet(false)) {
                            throw new CubeUnavailableException(
                                    CubeUnavailableException.Reason.FULL, "no space, once");
                        }
                    }

                    @Override
                    public void afterAppend(List<LogEntry> entries) {
                        logged.addAll(entries);
                    }
                };
        cube = fixture.open();
        roll(cube);
        dead = head(cube);
        cube.commit(put("gone", "")).join();
        cube.commit(delete("gone")).join();
        roll(cube);
        long first = head(cube);
        for (int i = 0; i < KEYS; i++) {
            PendingBlob blob = CubeFixture.blob(cube, new byte[300]);
            cube.commit(put("k" + i, "old", blob.id()).add(blob)).join();
        }
        shared = CubeFixture.blob(cube, new byte[300]);
        cube.commit(put("has it", "", shared.id()).add(shared)).join();
        roll(cube);
        cube.commit(put("has it, too", "", shared.id())).join();
        cube.commit(put("unrelated", "")).join();
        logged.clear();
        indexes.beforeWrite = this::beforeWrite;
        indexes.afterWrite = () -> written.add(Thread.currentThread().getName());
        cleaning = CompletableFuture.runAsync(() -> clean(first));
        await(reached);
    }

    private void clean(long segment) {
        try {
            cube.cleaner().cleanThese(Set.of(segment), CleaningPass.Pace.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void beforeWrite() {
        if (Thread.currentThread().getName().equals(WRITER)) {
            reached.countDown();
            await(mayWrite);
            dying.ifPresent(
                    error -> {
                        throw error;
                    });
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Until the committing thread has taken all that is queued, and can do no more of it. */
    private void awaitCommitterAsleep() {
        Thread committer = fixture.threads.get(COMMITTER);
        while (cube.stats().work().commits().queued() > 0
                || committer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void close() throws IOException {
        mayWrite.countDown();
        cube.close();
    }

    private void assertSound() throws IOException {
        cleaning.join();
        assertThat(cube.check(1L << 40, progress -> true).problems()).isEmpty();
        try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
            assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
        }
    }

    @Test
    void aCommitIsDurableMeanwhileAndInTheIndexBehindIt() throws IOException {
        CompletableFuture<Long> other = cube.commit(put("other", ""));
        awaitCommitterAsleep();
        assertThat(logged).as("in the log").hasSize(1);
        assertThat(other).as("not in the index").isNotDone();
        mayWrite.countDown();
        other.join();
        assertThat(written).startsWith(WRITER, COMMITTER);
        assertSound();
    }

    private void assertReplacedAtItsNewPlace(Transaction transaction) throws IOException {
        CompletableFuture<Long> replacing = cube.commit(transaction);
        awaitCommitterAsleep();
        assertThat(logged).as("where the victim is, is not known yet").isEmpty();
        mayWrite.countDown();
        replacing.join();
        assertSound();
    }

    @Test
    void whatReplacesARecordThatMovesWaits() throws IOException {
        assertReplacedAtItsNewPlace(put("k3", "new"));
    }

    @Test
    void whatReplacesSeveralThatMoveWaits() throws IOException {
        Transaction both =
                put("k3", "new").put(NAMES, utf8("k4"), new byte[0], new byte[0], List.of());
        assertReplacedAtItsNewPlace(both);
    }

    @Test
    void whatDropsABlobThatMovesWaits() throws IOException {
        assertReplacedAtItsNewPlace(delete("has it, too"));
    }

    @Test
    void whatDropsItTogetherWithOthersWaits() throws IOException {
        assertReplacedAtItsNewPlace(delete("has it, too").delete(NAMES, utf8("unrelated")));
    }

    @Test
    void whatRefersToABlobThatMovesWaits() throws IOException {
        assertReplacedAtItsNewPlace(put("has it as well", "", shared.id()));
    }

    @Test
    void segmentsAreFreedBehindIt() throws IOException {
        Thread flushing = Thread.ofPlatform().start(this::flush);
        while (flushing.getState() != Thread.State.WAITING && flushing.isAlive()) {
            Thread.onSpinWait();
        }
        awaitCommitterAsleep();
        assertThat(written).isEmpty();
        mayWrite.countDown();
        UninterruptibleJoin.join(flushing);
        assertThat(written).startsWith(WRITER, COMMITTER);
        assertThat(cube.space().segments()).noneMatch(each -> each.segmentId() == dead);
        assertSound();
    }

    @Test
    void segmentsAreFreedBehindItWhenTheLogIsFull() throws IOException {
        isFull.set(true);
        CompletableFuture<Long> other = cube.commit(put("other", ""));
        awaitCommitterAsleep();
        assertThat(isFull).as("was tried").isFalse();
        assertThat(written).isEmpty();
        mayWrite.countDown();
        other.join();
        assertThat(written).startsWith(WRITER, COMMITTER);
        assertThat(cube.space().segments()).noneMatch(each -> each.segmentId() == dead);
        assertSound();
    }

    private void flush() {
        try {
            cube.flushIndex();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatFailsMakesTheCubeReadOnlyAndLosesNothing() throws IOException {
        CompletableFuture<Long> other = cube.commit(put("other", ""));
        awaitCommitterAsleep();
        indexes.failsWrites = true;
        mayWrite.countDown();
        assertThatThrownBy(cleaning::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("the index cannot be written");
        assertReadOnlyUntilOpenedAgain(other);
    }

    @Test
    @ThreadsMayDie
    void errorThatEndsItMakesTheCubeReadOnlyAndLosesNothing() throws IOException {
        CompletableFuture<Long> other = cube.commit(put("other", ""));
        awaitCommitterAsleep();
        dying = Optional.of(new OutOfMemoryError("simulated"));
        mayWrite.countDown();
        assertThatThrownBy(cleaning::join).hasMessageContaining("read-only");
        assertReadOnlyUntilOpenedAgain(other);
    }

    private void assertReadOnlyUntilOpenedAgain(CompletableFuture<Long> underWay)
            throws IOException {
        assertThatThrownBy(underWay::join).hasMessageContaining("read-only");
        assertThat(cube.state()).isEqualTo(CubeState.READ_ONLY);
        cube.close();
        indexes.failsWrites = false;
        cube = fixture.open();
        cleaning = CompletableFuture.completedFuture(null);
        assertThat(cube.get(NAMES, utf8("other"))).isPresent();
        assertSound();
    }
}
