package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.PendingBlob;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A segment that is wholly dead may leave the log although a pass has begun to clean it. */
class FreedWhileCleanedTest {
    private static final int KEYS = 20;

    /** Holds the freeing up until the pass holds the segment, and the pass until that is freed. */
    private static final class Meeting extends HookedLog.Hooks {
        private final CountDownLatch freeing = new CountDownLatch(1);
        private final CountDownLatch held = new CountDownLatch(1);
        private volatile CompletableFuture<Void> freed = CompletableFuture.completedFuture(null);

        @Override
        public void beforeFree(Collection<Long> segments) throws IOException {
            freeing.countDown();
            await(held);
        }

        @Override
        public void afterPin() {
            held.countDown();
            freed.join();
        }

        private static void await(CountDownLatch latch) throws IOException {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private static void flush(LogCube cube) {
        try {
            cube.flushIndex();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nothingOfItComesToLifeAgain() throws Exception {
        Meeting meeting = new Meeting();
        CubeFixture fixture = new CubeFixture();
        fixture.hooks = meeting;
        try (ExecutorService other = Executors.newSingleThreadExecutor();
                LogCube cube = fixture.open()) {
            roll(cube);
            long dead = head(cube);
            for (int i = 0; i < KEYS; i++) {
                PendingBlob blob = CubeFixture.blob(cube, new byte[300]);
                cube.commit(put("k" + i, "value", blob.id()).add(blob)).join();
            }
            roll(cube);
            for (int i = 0; i < KEYS; i++) {
                cube.commit(delete("k" + i)).join();
            }
            roll(cube);
            meeting.freed = CompletableFuture.runAsync(() -> flush(cube), other);
            Meeting.await(meeting.freeing);
            cube.cleaner().cleanThese(Set.of(dead), CleaningPass.Pace.NONE);
            assertThat(cube.space().segments())
                    .extracting(SpaceReport.SegmentSpace::segmentId)
                    .as("it was freed meanwhile")
                    .doesNotContain(dead);
            for (int i = 0; i < KEYS; i++) {
                assertThat(cube.get(CubeFixture.NAMES, CubeFixture.utf8("k" + i))).isEmpty();
            }
            assertThat(cube.check(1L << 40, progress -> true).problems()).isEmpty();
            try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
                assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }
}
