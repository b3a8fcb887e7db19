package io.volute.server.metrics.status;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The recent values of the metrics: {@link #look} records them, {@link #page} shows them.
 * Thread-safe.
 */
public final class Status {
    /** Number of kept looks: half an hour with one look every five seconds. */
    static final int LOOKS_KEPT = 360;

    private final Supplier<MetricSnapshots> metrics;
    private final InstantSource clock;
    private final Deque<Look> looks = new ArrayDeque<>();
    private Reading last;
    private Instant lastAt;

    /**
     * The figures at one time.
     *
     * @param figures the values of the trends that had any
     */
    record Look(Instant at, Map<Trend, Double> figures) {}

    /** Takes the first look; there is nothing to compare it with yet. */
    public Status(Supplier<MetricSnapshots> metrics, InstantSource clock) {
        this.metrics = metrics;
        this.clock = clock;
        this.last = new Reading(metrics.get());
        this.lastAt = clock.instant();
    }

    /** Takes a look that is remembered. */
    public synchronized void look() {
        Reading now = new Reading(metrics.get());
        Instant at = clock.instant();
        if (!at.isAfter(lastAt)) {
            return;
        }
        looks.add(compare(now, at));
        if (looks.size() > LOOKS_KEPT) {
            looks.remove();
        }
        last = now;
        lastAt = at;
    }

    private Look compare(Reading now, Instant at) {
        double seconds = Duration.between(lastAt, at).toNanos() / 1e9;
        Map<Trend, Double> figures = new HashMap<>();
        for (Section section : Sections.ALL) {
            for (Section.Chart chart : section.charts()) {
                for (Trend trend : chart.trends()) {
                    figures.put(trend, trend.figure().of(last, now, seconds));
                }
            }
        }
        return new Look(at, figures);
    }

    /** A page of HTML, in UTF-8, that stands by itself and has itself loaded again. */
    public synchronized byte[] page() {
        return StatusPage.write(List.copyOf(looks), last, lastAt);
    }
}
