package io.volute.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class CommitTimeTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123Z");

    @Test
    void sequencesTellTheirMillisecond() {
        long first = CommitTime.next(1, NOON, 3);
        assertThat(CommitTime.of(first)).isEqualTo(NOON);
        assertThat(first + 2).isLessThanOrEqualTo(CommitTime.lastAt(NOON));
        assertThat(first).isGreaterThan(CommitTime.lastAt(NOON.minusMillis(1)));
    }

    @Test
    void sequencesGrowWhenTheClockGoesBack() {
        long first = CommitTime.next(1, NOON, 1);
        assertThat(CommitTime.next(first + 1, NOON.minusSeconds(3600), 1)).isEqualTo(first + 1);
    }

    /** Otherwise an instant could show half of a commit. */
    @Test
    void aCommitLiesInOneMillisecond() {
        long last = CommitTime.lastAt(NOON);
        assertThat(CommitTime.next(last, NOON, 1)).isEqualTo(last);
        assertThat(CommitTime.next(last, NOON, 2)).isEqualTo(last + 1);
        assertThat(CommitTime.of(last + 1)).isEqualTo(NOON.plusMillis(1));
        assertThat(CommitTime.next(last - 10, NOON, 5000)).isEqualTo(last - 10);
    }
}
