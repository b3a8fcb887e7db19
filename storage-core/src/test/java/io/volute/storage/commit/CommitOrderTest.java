package io.volute.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CommitOrderTest {
    private static final Family FAMILY = new Family(1, "rows");

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
        LogSettings settings =
                new LogSettings(
                        1 << 20,
                        4096,
                        4096,
                        1L << 40,
                        1 << 20,
                        1 << 20,
                        CubeOptions.OnDamage.REFUSE);
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
        LogSettings settings =
                new LogSettings(
                        1 << 20,
                        4096,
                        4096,
                        1L << 40,
                        1 << 20,
                        1 << 20,
                        CubeOptions.OnDamage.REFUSE);
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

    private CubeOptions options(String name, LogSettings settings) {
        return new CubeOptions(
                directory.resolve(name),
                new OsFileSystem(),
                () -> Instant.ofEpochSecond(1_700_000_000L),
                new SplittableRandom(1),
                List.of(FAMILY),
                settings);
    }
}
