package io.volute.storage.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DistributionTest {

    @Test
    void aBoundBelongsToItsClass() {
        Distribution distribution = new Distribution(100, 3);
        for (long value : new long[] {0, 100, 101, 200, 201, 400, 401, Long.MAX_VALUE / 2}) {
            distribution.record(value);
        }
        Distribution.Counts counts = distribution.counts();
        assertThat(counts.bounds()).containsExactly(100L, 200L, 400L);
        assertThat(counts.values()).containsExactly(2L, 2L, 2L, 2L);
        assertThat(counts.total()).isEqualTo(8);
    }

    /** Against the definition, value by value. */
    @Test
    void everyValueIsBelowItsBoundAndAboveTheOneBefore() {
        Random random = new Random(7);
        for (long first : new long[] {1, 3, 50_000}) {
            long[] expected = new long[21];
            long sum = 0;
            Distribution distribution = new Distribution(first, 20);
            for (int i = 0; i < 10_000; i++) {
                long value = random.nextLong(1L << random.nextInt(1, 40));
                int place = 0;
                while (place < 20 && value > first << place) {
                    place++;
                }
                expected[place]++;
                sum += value;
                distribution.record(value);
            }
            List<Long> wanted = new ArrayList<>();
            for (long count : expected) {
                wanted.add(count);
            }
            assertThat(distribution.counts().values()).isEqualTo(wanted);
            assertThat(distribution.counts().sum()).isEqualTo(sum);
        }
    }

    @Test
    void aClockThatStepsBackCountsAsNoTime() {
        Distribution distribution = Distribution.ofNanos();
        distribution.record(-5);
        assertThat(distribution.counts().sum()).isZero();
        assertThat(distribution.counts().values().getFirst()).isEqualTo(1);
    }

    @Test
    void hasAtLeastOneClass() {
        assertThatThrownBy(() -> new Distribution(0, 3))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Distribution(1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
