package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateGaugeTest {
    private static final long SECOND = 1_000_000_000L;

    private final RateGauge gauge = new RateGauge(60 * SECOND, 30 * SECOND, 1024);

    @Test
    void countsOnlyWaiting() {
        gauge.ask(0);
        assertThat(gauge.arrived(SECOND, 1)).isFalse();
        // An hour that the server takes for itself.
        gauge.ask(3600 * SECOND);
        assertThat(gauge.isOverdue(3600 * SECOND + 29 * SECOND - 1)).isFalse();
        assertThat(gauge.isOverdue(3600 * SECOND + 29 * SECOND)).isTrue();
    }

    @Test
    void isExactAtTheRate() {
        gauge.ask(0);
        assertThat(gauge.arrived(30 * SECOND, 30 * 1024 - 1)).isTrue();
        gauge.ask(40 * SECOND);
        assertThat(gauge.arrived(70 * SECOND, 30 * 1024)).isFalse();
    }

    @Test
    void startsANewWindowAfterEach() {
        gauge.ask(0);
        assertThat(gauge.arrived(30 * SECOND, 1 << 20)).isFalse();
        gauge.ask(30 * SECOND);
        // What came in the last window is no credit for this one.
        assertThat(gauge.isOverdue(60 * SECOND)).isTrue();
    }

    @Test
    void waitsForASingleByteNoLongerThanTheIdleTime() {
        gauge.ask(0);
        assertThat(gauge.arrived(1, 1 << 20)).isFalse();
        gauge.ask(1);
        assertThat(gauge.isOverdue(60 * SECOND)).isFalse();
        assertThat(gauge.isOverdue(60 * SECOND + 1)).isTrue();
        assertThat(gauge.remainingNanos(1)).isEqualTo(60 * SECOND);
    }

    @Test
    void isNeverOverdueWhileTheServerIsBusy() {
        assertThat(gauge.isOverdue(Long.MAX_VALUE)).isFalse();
        gauge.ask(0);
        assertThat(gauge.arrived(1, 1)).isFalse();
        assertThat(gauge.isOverdue(Long.MAX_VALUE)).isFalse();
    }
}
