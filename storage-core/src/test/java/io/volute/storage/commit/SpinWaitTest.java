package io.volute.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class SpinWaitTest {
    private static final long SHORT = 5_000;
    private static final long LONG = 1_000_000;

    /** Moves on by a microsecond whenever it is looked at. */
    private long clock;

    /** When there is something, by the clock. */
    private final Queue<Long> due = new ArrayDeque<>();

    private int slept;
    private final SpinWait linger = linger(2);

    private SpinWait linger(int processors) {
        return new SpinWait(() -> clock += 1_000, processors);
    }

    private Long poll() {
        return !due.isEmpty() && due.peek() <= clock ? due.remove() : null;
    }

    private Long sleep() {
        slept++;
        clock = Math.max(clock, due.element());
        return due.remove();
    }

    private void await(SpinWait by, boolean maySpin, int times, long nanos)
            throws InterruptedException {
        for (int i = 0; i < times; i++) {
            long when = clock + nanos;
            due.add(when);
            assertThat(by.await(maySpin, this::poll, this::sleep)).isEqualTo(when);
        }
    }

    @Test
    void sleepsAtFirstAndStaysAwakeOnceWaitsAreShort() throws InterruptedException {
        await(linger, true, 4, SHORT);
        assertThat(slept).isEqualTo(4);
        await(linger, true, 100, SHORT);
        assertThat(slept).isEqualTo(4);
    }

    @Test
    void sleepsAtOnceWhereWaitsAreLong() throws InterruptedException {
        await(linger, true, 100, SHORT);
        await(linger, true, 3, LONG);
        assertThat(linger.isWorthIt()).isFalse();
        long before = clock;
        await(linger, true, 1, LONG);
        assertThat(clock - before).isEqualTo(LONG + 1_000);
    }

    @Test
    void oneLongWaitOfManyChangesNothing() throws InterruptedException {
        await(linger, true, 100, SHORT);
        await(linger, true, 1, LONG);
        slept = 0;
        await(linger, true, 10, SHORT);
        assertThat(slept).isZero();
    }

    @Test
    void whatIsThereIsTakenAtOnceAndTellsNothing() throws InterruptedException {
        await(linger, true, 100, 0);
        assertThat(clock).isZero();
        assertThat(linger.isWorthIt()).isFalse();
    }

    @Test
    void sleepsBesideOthersAndWithOneProcessor() throws InterruptedException {
        await(linger, true, 100, SHORT);
        slept = 0;
        await(linger, false, 10, SHORT);
        assertThat(slept).isEqualTo(10);
        await(linger(1), true, 10, SHORT);
        assertThat(slept).isEqualTo(20);
    }
}
