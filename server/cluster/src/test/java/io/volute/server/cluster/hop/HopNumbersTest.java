package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HopNumbersTest {
    private static final long KEPT = 1800;

    private final HopNumbers numbers = new HopNumbers(KEPT);

    @Test
    void aNumberIsFirstOnce() {
        assertThat(numbers.isFirst("a", 2, 0)).isTrue();
        assertThat(numbers.isFirst("a", 1, 0)).isTrue();
        assertThat(numbers.isFirst("a", 2, 0)).isFalse();
        assertThat(numbers.isFirst("a", 1, 0)).isFalse();
        assertThat(numbers.isFirst("b", 1, 0)).isTrue();
    }

    @Test
    void aNumberBehindTheWindowIsNotKnown() {
        assertThat(numbers.isFirst("a", HopNumbers.WINDOW + 5, 0)).isTrue();
        assertThat(numbers.isFirst("a", 5, 0)).isFalse();
        assertThat(numbers.isFirst("a", 4, 0)).isFalse();
        assertThat(numbers.isFirst("a", 6, 0)).isTrue();
    }

    /** A large step forgets more than a window; a number has the bit of an earlier one. */
    @Test
    void numbersThatShareABitAreDistinct() {
        assertThat(numbers.isFirst("a", 7, 0)).isTrue();
        assertThat(numbers.isFirst("a", 7 + HopNumbers.WINDOW, 0)).isTrue();
        assertThat(numbers.isFirst("a", 7 + 5L * HopNumbers.WINDOW, 0)).isTrue();
        assertThat(numbers.isFirst("a", 7 + 5L * HopNumbers.WINDOW, 0)).isFalse();
        assertThat(numbers.isFirst("a", 6 + 5L * HopNumbers.WINDOW, 0)).isTrue();
    }

    @Test
    void aProcessIsForgottenWhenItsSealsOpenNoMore() {
        assertThat(numbers.isFirst("a", 1, 0)).isTrue();
        assertThat(numbers.isFirst("b", 1, KEPT)).isTrue();
        assertThat(numbers.isFirst("a", 1, KEPT)).isFalse();
        assertThat(numbers.isFirst("c", 1, 2 * KEPT + 1)).isTrue();
        assertThat(numbers.isFirst("a", 1, 2 * KEPT + 1)).isTrue();
    }

    /** Compared with a set of all numbers, for numbers in any order within the window. */
    @Test
    @Tag("slow")
    void anyOrderWithinTheWindow() {
        Random random = new Random(7);
        Set<Long> seen = new HashSet<>();
        long newest = 0;
        for (int i = 0; i < 300_000; i++) {
            long number = Math.max(1, newest + 1 - random.nextInt(HopNumbers.WINDOW / 2));
            number += random.nextInt(50) == 0 ? random.nextInt(HopNumbers.WINDOW) : 0;
            newest = Math.max(newest, number);
            boolean isKnown = number > newest - HopNumbers.WINDOW;
            assertThat(numbers.isFirst("a", number, 0))
                    .as("step %d", i)
                    .isEqualTo(isKnown && seen.add(number));
        }
    }
}
