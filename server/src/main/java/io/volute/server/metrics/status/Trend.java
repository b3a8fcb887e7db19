package io.volute.server.metrics.status;

/**
 * A figure over time.
 *
 * @param name what it is called beside its line
 * @param figure made of what was read last and now
 */
record Trend(String name, Figure figure) {
    /** Makes a figure of two readings. */
    interface Figure {
        /** NaN where there is none. */
        double of(Reading before, Reading now, double seconds);
    }

    /** What goes up and down. */
    static Trend gauge(String name, String metric, String... label) {
        return new Trend(name, (before, now, seconds) -> now.sum(metric, label));
    }

    /** How fast something grows. */
    static Trend rate(String name, String metric, String... label) {
        return new Trend(
                name,
                (before, now, seconds) ->
                        (now.sum(metric, label) - before.sum(metric, label)) / seconds);
    }

    /** What a share of requests stayed within, of those in between. */
    static Trend quantile(String name, String metric, double share) {
        return new Trend(name, (before, now, seconds) -> now.quantile(metric, share, before));
    }
}
