package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.LeaseWait.Renewal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseWaitTest {
    private static final Duration SESSION = Duration.ofSeconds(8);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final LeaseWait wait = new LeaseWait(now::get, SESSION);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private boolean see(int version) {
        return wait.see(new Renewal(version, false, Optional.empty()));
    }

    @Test
    void aLeaseHasEndedFiveEighthsOfASessionAfterItsRenewalWasSeen() {
        assertThat(see(1)).isFalse();
        pass(Duration.ofMillis(4999));
        assertThat(see(1)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(see(1)).isTrue();
    }

    /** The time of the lease is that of its owner, and not this node's. */
    @Test
    void aRenewalStatesTheTimeOfItsLease() {
        Renewal stated = new Renewal(1, false, Optional.of(Duration.ofSeconds(2)));
        assertThat(wait.see(stated)).isFalse();
        pass(Duration.ofMillis(999));
        assertThat(wait.isOverdue(stated)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(wait.isOverdue(stated)).isTrue();
        assertThat(wait.isOverdue(new Renewal(2, false, stated.lease()))).isFalse();
        pass(Duration.ofMillis(1499));
        assertThat(wait.see(stated)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(wait.see(stated)).isTrue();
    }

    @Test
    void eachRenewalBeginsTheWaitAnew() {
        assertThat(see(1)).isFalse();
        pass(Duration.ofSeconds(5));
        assertThat(see(2)).isFalse();
        pass(Duration.ofSeconds(4));
        assertThat(see(2)).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(see(2)).isTrue();
    }

    @Test
    void nobodyWaitsForALeaseThatWasGivenUp() {
        assertThat(see(1)).isFalse();
        assertThat(wait.see(new Renewal(2, true, Optional.empty()))).isTrue();
        assertThat(see(3)).isFalse();
    }

    @Test
    void theNextLookIsNotLaterThanTheEndOfALease() {
        see(1);
        assertThat(wait.limit(Duration.ofSeconds(1).toNanos()))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofMillis(4500));
        assertThat(wait.limit(Duration.ofSeconds(1).toNanos()))
                .isEqualTo(Duration.ofMillis(500).toNanos());
        pass(Duration.ofSeconds(3));
        assertThat(wait.limit(Duration.ofSeconds(1).toNanos()))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
    }
}
