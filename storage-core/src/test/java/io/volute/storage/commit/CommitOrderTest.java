package io.volute.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CommitTime;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CommitOrderTest {
    private static final Family FAMILY = new Family(1, "rows");
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000L);

    @TempDir Path directory;

    @Test
    void aClockNeverGoesBack() {
        CommitOrder order = new CommitOrder();
        order.passed(10);
        order.passed(4);
        assertThat(order.next()).isEqualTo(11);
    }

    @Test
    void aCommitIsGreaterThanTheOnesItCouldSee() throws Exception {
        LogSettings settings = settings();
        try (Cubes.Shared shared = new Cubes.Shared(settings);
                var one = Cubes.open(options("one", settings), shared).cube();
                var other = Cubes.open(options("other", settings), shared).cube()) {
            long last = 0;
            for (int i = 0; i < 20; i++) {
                // The clock stands still: without the common order both would give the same.
                long sequence =
                        (i % 3 == 0 ? one : other)
                                .commit(
                                        new Transaction()
                                                .put(
                                                        FAMILY,
                                                        new byte[] {(byte) i},
                                                        new byte[1],
                                                        new byte[0],
                                                        List.of()))
                                .join();
                assertThat(sequence).isGreaterThan(last);
                last = sequence;
            }
        }
    }

    @Test
    void aCubeThatIsOpenedLaterGoesOnBehindTheOthers() throws Exception {
        LogSettings settings = settings();
        long last;
        try (Cubes.Shared shared = new Cubes.Shared(settings);
                var one = Cubes.open(options("one", settings), shared).cube()) {
            for (int i = 0; i < 5; i++) {
                long unused = one.commit(row(i)).join();
            }
            last = one.lastSequence();
        }
        try (Cubes.Shared shared = new Cubes.Shared(settings);
                var one = Cubes.open(options("one", settings), shared).cube();
                var other = Cubes.open(options("other", settings), shared).cube()) {
            assertThat(one.lastSequence()).isEqualTo(last);
            assertThat(other.commit(row(1)).join()).isGreaterThan(last);
        }
    }

    @Test
    @Timeout(60)
    void aCommitThatJoinsABatchIsBehindWhatWasVisibleThen() throws Exception {
        LogSettings settings = settings();
        AtomicReference<Runnable> atClock = new AtomicReference<>(() -> {});
        CompletableFuture<CompletableFuture<Long>> joined = new CompletableFuture<>();
        long visible = CommitTime.next(1, NOW, 1) + 1000;
        InstantSource clock = timeOfCommits(() -> atClock.getAndSet(() -> {}).run());
        try (Cubes.Shared shared = new Cubes.Shared(settings);
                var one = Cubes.open(options("one", settings, clock), shared).cube()) {
            // Runs while the committing thread fills a batch, which the second commit joins.
            atClock.set(
                    () -> {
                        shared.passed(visible);
                        joined.complete(one.commit(row(2)));
                    });
            long first = one.commit(row(1)).join();
            assertThat(first).isLessThan(visible);
            assertThat(joined.join().join()).isGreaterThan(visible);
            assertThat(shared.lastSequence()).isGreaterThan(visible);
        }
    }

    @Test
    @Timeout(60)
    void aPauseHoldsBackTheCommitsOfAllCubes() throws Exception {
        CommitOrder order = new CommitOrder();
        List<Thread> committers;
        order.noBatches().lock();
        try {
            committers = Stream.generate(() -> new Thread(order.batch()::lock)).limit(2).toList();
            committers.forEach(Thread::start);
            while (order.waiting() < 2) {
                Thread.onSpinWait();
            }
        } finally {
            order.noBatches().unlock();
        }
        for (Thread each : committers) {
            each.join();
        }
    }

    private static Transaction row(int i) {
        return new Transaction()
                .put(FAMILY, new byte[] {(byte) i}, new byte[1], new byte[0], List.of());
    }

    /** Returns a clock that stands still, and runs this at each look at the time of a commit. */
    private static InstantSource timeOfCommits(Runnable atLook) {
        return new InstantSource() {
            @Override
            public Instant instant() {
                if (Thread.currentThread().getName().contains("commit")) {
                    atLook.run();
                }
                return NOW;
            }

            @Override
            public long millis() {
                return NOW.toEpochMilli();
            }
        };
    }

    private static LogSettings settings() {
        return new LogSettings(
                1 << 20, 4096, 4096, 1L << 40, 1 << 20, 1 << 20, CubeOptions.OnDamage.REFUSE);
    }

    private CubeOptions options(String name, LogSettings settings) {
        return options(name, settings, () -> NOW);
    }

    private CubeOptions options(String name, LogSettings settings, InstantSource clock) {
        return new CubeOptions(
                directory.resolve(name),
                new OsFileSystem(),
                clock,
                new SplittableRandom(1),
                List.of(FAMILY),
                settings);
    }
}
