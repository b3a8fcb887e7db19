package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistorySharesTest {
    @Test
    void sharesAreFairAndTakeWhatThereIs() {
        assertThat(HistoryShares.level(new long[] {10, 1, 100}, 31)).isEqualTo(20);
        assertThat(HistoryShares.level(new long[] {10, 1, 100}, 21)).isEqualTo(10);
        assertThat(HistoryShares.level(new long[] {10, 1, 100}, 0)).isZero();
        assertThat(HistoryShares.level(new long[] {10, 1, 100}, 111)).isEqualTo(Long.MAX_VALUE);
        assertThat(HistoryShares.level(new long[] {}, 5)).isEqualTo(Long.MAX_VALUE);
    }
}
