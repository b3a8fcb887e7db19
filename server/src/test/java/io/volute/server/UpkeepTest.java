package io.volute.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Upkeep.Pauses;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UpkeepTest {
    private static final Duration NEVER = Duration.ofDays(1);

    @Test
    void waitsLongerAfterEachFailure() {
        Pauses pauses = new Pauses(Duration.ZERO, Duration.ofMinutes(1), Duration.ofMinutes(10));
        assertThat(pauses.after(0)).isEqualTo(Duration.ofMinutes(1));
        assertThat(pauses.after(1)).isEqualTo(Duration.ofMinutes(2));
        assertThat(pauses.after(3)).isEqualTo(Duration.ofMinutes(8));
        assertThat(pauses.after(4)).isEqualTo(Duration.ofMinutes(10));
        assertThat(pauses.after(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void looksOnWhateverFails() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch looked = new CountDownLatch(3);
        Upkeep.Task task =
                () -> {
                    looked.countDown();
                    if (looks.incrementAndGet() == 1) {
                        throw new IOException("the first one fails");
                    }
                    throw new IllegalStateException("the others too");
                };
        Pauses none = new Pauses(Duration.ZERO, Duration.ZERO, Duration.ZERO);
        try (Upkeep upkeep = Upkeep.start("test", none, task)) {
            looked.await();
            assertThat(upkeep).isNotNull();
        }
        int ended = looks.get();
        assertThat(ended).isGreaterThanOrEqualTo(3);
    }

    @Test
    void looksWhenWoken() throws InterruptedException {
        CountDownLatch looked = new CountDownLatch(1);
        try (Upkeep upkeep = Upkeep.start("test", Pauses.of(NEVER), looked::countDown)) {
            upkeep.wake();
            looked.await();
            assertThat(looked.getCount()).isZero();
        }
    }

    /** An interrupt would close the channels of the files that the look reads. */
    @Test
    void endsWithTheLookAndWithoutInterrupts() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        AtomicBoolean isInterrupted = new AtomicBoolean();
        AtomicBoolean isEnded = new AtomicBoolean();
        Upkeep.Task task =
                new Upkeep.Task() {
                    @Override
                    public void look() {
                        begun.countDown();
                        try {
                            stopped.await();
                        } catch (InterruptedException e) {
                            isInterrupted.set(true);
                        }
                        isEnded.set(true);
                    }

                    @Override
                    public void stop() {
                        stopped.countDown();
                    }
                };
        Upkeep upkeep = Upkeep.start("test", new Pauses(Duration.ZERO, NEVER, NEVER), task);
        begun.await();
        Thread.currentThread().interrupt();
        upkeep.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(isEnded).isTrue();
        assertThat(isInterrupted).isFalse();
    }
}
