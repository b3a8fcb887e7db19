package io.volute.server.metrics;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts by kind; all kinds are known from the beginning. Thread-safe. */
public final class KindCounts<E extends Enum<E>> {
    private final Map<E, LongAdder> counts = new TreeMap<>();

    /**
     * @param kinds that there are
     */
    public KindCounts(Class<E> kinds) {
        for (E kind : kinds.getEnumConstants()) {
            counts.put(kind, new LongAdder());
        }
    }

    /** Counts so many of a kind. */
    public void add(E kind, long count) {
        counts.get(kind).add(count);
    }

    /** The counts so far, by the kind's name as labels have it. */
    public Map<String, Long> byLabel() {
        Map<String, Long> byLabel = new TreeMap<>();
        counts.forEach((kind, count) -> byLabel.put(label(kind), count.sum()));
        return byLabel;
    }

    /** Returns the label of a constant: {@code no-holes} for {@code NO_HOLES}. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
