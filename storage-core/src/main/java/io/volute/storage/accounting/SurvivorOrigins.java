package io.volute.storage.accounting;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;

/**
 * The relation of survivors and their origins, the segments that they may hold copies of. Not
 * thread-safe.
 */
final class SurvivorOrigins {
    private final Map<Long, Set<Long>> bySurvivor = new HashMap<>();
    private final Map<Long, Set<Long>> byOrigin = new HashMap<>();

    void add(long survivor, long origin) {
        bySurvivor.computeIfAbsent(survivor, ignored -> new HashSet<>()).add(origin);
        byOrigin.computeIfAbsent(origin, ignored -> new HashSet<>()).add(survivor);
    }

    void remove(long survivor, long origin) {
        remove(bySurvivor, survivor, origin);
        remove(byOrigin, origin, survivor);
    }

    private static void remove(Map<Long, Set<Long>> map, long key, long value) {
        Set<Long> values = map.getOrDefault(key, Set.of());
        if (values.contains(value) && values.size() == 1) {
            map.remove(key);
        } else if (!values.isEmpty()) {
            values.remove(value);
        }
    }

    /** Returns the origins of a survivor. */
    LongStream of(long survivor) {
        return bySurvivor.getOrDefault(survivor, Set.of()).stream().mapToLong(Long::longValue);
    }

    /** Returns the survivors that have origins. */
    Set<Long> survivors() {
        return bySurvivor.keySet();
    }

    /** Returns whether the segment is an origin, or has origins. */
    boolean contains(long segment) {
        return bySurvivor.containsKey(segment) || byOrigin.containsKey(segment);
    }

    void forEach(BiConsumer<Long, Long> pairs) {
        bySurvivor.forEach(
                (survivor, from) -> from.forEach(origin -> pairs.accept(survivor, origin)));
    }
}
