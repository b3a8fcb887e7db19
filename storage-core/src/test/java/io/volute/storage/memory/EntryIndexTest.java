package io.volute.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryIndexTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void isAMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        EntryIndex index = new EntryIndex(60_000);
        Map<Long, Long> model = new HashMap<>();
        for (int step = 0; step < 50_000; step++) {
            long id = 1 + random.nextLong(6000);
            long place = random.nextLong(Long.MAX_VALUE);
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    if (!model.containsKey(id) && index.insert(id, place)) {
                        model.put(id, place);
                    }
                }
                case 2 -> {
                    Long removed = model.remove(id);
                    assertThat(index.remove(id))
                            .isEqualTo(removed == null ? EntryIndex.NONE : removed);
                }
                default -> {
                    Long expected = model.get(id);
                    assertThat(index.replace(id, -2, place)).isFalse();
                    assertThat(index.remove(id, -2)).isFalse();
                    if (expected != null) {
                        assertThat(index.replace(id, expected, place)).isTrue();
                        model.put(id, place);
                    }
                }
            }
            assertThat(index.entries()).isEqualTo(model.size());
            assertThat(index.bytes()).isLessThanOrEqualTo(60_000);
        }
        model.forEach(
                (id, place) -> assertThat(index.get(id)).as("seed %d", seed).isEqualTo(place));
        int even = index.removeIf(place -> place % 2 == 0);
        model.values().removeIf(place -> place % 2 == 0);
        assertThat(index.entries()).isEqualTo(model.size());
        assertThat(even).isPositive();
        model.forEach((id, place) -> assertThat(index.get(id)).isEqualTo(place));
        index.clear();
        assertThat(index.bytes()).isZero();
        assertThat(index.entries()).isZero();
    }

    @Test
    void needsLittleMemoryForAnEntry() {
        EntryIndex index = new EntryIndex(1L << 30);
        for (long id = 1; id <= 300_000; id++) {
            assertThat(index.insert(id, id)).isTrue();
        }
        assertThat(index.bytes() / 300_000.0).isLessThan(64);
    }

    @Test
    void refusesWhatDoesNotFit() {
        EntryIndex index = new EntryIndex(40_000);
        int taken = 0;
        for (long id = 1; id <= 10_000; id++) {
            taken += index.insert(id, id) ? 1 : 0;
        }
        assertThat((long) taken).isBetween(index.entriesMax() * 9 / 10, index.entriesMax());
        assertThat(index.bytes()).isLessThanOrEqualTo(40_000);
    }
}
