package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final Duration SESSION = Duration.ofSeconds(8);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final Lease lease = new Lease(now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void aNewLeaseHasRunOut() {
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.isSilent()).isFalse();
    }

    @Test
    void runsForHalfASessionFromBeforeTheQuestion() {
        long asked = now.get();
        pass(Duration.ofSeconds(3));
        lease.renew(asked, SESSION);
        assertThat(lease.isHeld()).isTrue();
        pass(Duration.ofMillis(999));
        assertThat(lease.isHeld()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void anAnswerThatCameTooLateIsNoLease() {
        long asked = now.get();
        pass(Duration.ofSeconds(5));
        lease.renew(asked, SESSION);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void asksASilentServerAgainAfterAQuarter() {
        lease.notAnswered(SESSION);
        pass(Duration.ofMillis(1999));
        assertThat(lease.isSilent()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(lease.isSilent()).isFalse();
    }
}
