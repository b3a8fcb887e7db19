package io.volute.storage.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against maps of maps, while segments come and go. */
class VictimSegmentsTest {
    private static final int STEPS = 20_000;

    /** Segments in the log at once: more than bits were made for at first. */
    private static final int SEGMENTS = 150;

    private final VictimSegments victims = new VictimSegments();
    private final Map<Long, Map<Long, Long>> model = new HashMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void saysWhatMapsSay(long seed) {
        Random random = new Random(seed);
        long oldest = 1;
        for (int step = 0; step < STEPS; step++) {
            long segment = oldest + random.nextInt(SEGMENTS);
            long victim = oldest + random.nextInt(SEGMENTS);
            switch (random.nextInt(20)) {
                case 0 -> leave(oldest++);
                default -> {
                    long before = victims.tombstones(segment, victim);
                    long bytes = random.nextBoolean() ? before : before + 40;
                    victims.put(segment, victim, bytes);
                    model.computeIfAbsent(segment, ignored -> new TreeMap<>()).put(victim, bytes);
                }
            }
            compare(segment);
        }
        for (long segment = oldest; segment < oldest + SEGMENTS; segment++) {
            compare(segment);
        }
    }

    private void leave(long segment) {
        Set<Long> inLog =
                LongStream.rangeClosed(segment + 1, segment + SEGMENTS)
                        .boxed()
                        .collect(Collectors.toSet());
        victims.forget(segment);
        Set<Long> gone = victims.victimsOutside(inLog);
        assertThat(gone).isSubsetOf(segment);
        victims.release(gone);
        model.remove(segment);
        model.values().forEach(each -> each.remove(segment));
    }

    private void compare(long segment) {
        Map<Long, Long> expected = model.getOrDefault(segment, Map.of());
        assertThat(victims.of(segment).boxed().collect(Collectors.toSet()))
                .isEqualTo(expected.keySet());
        assertThat(victims.tombstones(segment))
                .isEqualTo(expected.values().stream().mapToLong(Long::longValue).sum());
        expected.forEach(
                (victim, bytes) -> {
                    assertThat(victims.contains(segment, victim)).isTrue();
                    assertThat(victims.tombstones(segment, victim)).isEqualTo(bytes);
                });
    }
}
