package io.volute.versioning.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stripes are taken in one order, whatever the order they are named in. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeyLocksTest {
    private final KeyLocks locks = new KeyLocks();

    @Test
    void whoWaitsForALowStripeHoldsNoHigherOne() throws InterruptedException {
        Thread waiter;
        try (ScopedHold low = locks.holdAll(1)) {
            waiter = Thread.ofPlatform().name("waiter").start(() -> locks.holdAll(2, 1).close());
            while (waiter.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            // Blocks for ever when the waiter has taken stripe 2 already.
            locks.holdAll(2).close();
        }
        waiter.join();
        assertThat(waiter.isAlive()).isFalse();
    }

    @Test
    void aStripeNamedTwiceIsReleasedOnce() throws InterruptedException {
        locks.holdAll(3, 3).close();
        Thread other = Thread.ofPlatform().name("other").start(() -> locks.holdAll(3).close());
        other.join();
        assertThat(other.isAlive()).isFalse();
    }
}
