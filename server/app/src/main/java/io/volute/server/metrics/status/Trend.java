package io.volute.server.metrics.status;

/**
 * A figure over time.
 *
 * @param name the label of its line
 * @param figure computes the value from the last two readings
 */
record Trend(String name, Figure figure) {
    /** Makes a figure of two readings. */
    interface Figure {
        /** NaN where there is none. */
        double of(Reading before, Reading now, double seconds);
    }

    /** Creates a trend of a value that rises and falls. */
    static Trend gauge(String name, String metric, String... label) {
        return new Trend(name, (before, now, seconds) -> now.sum(metric, label));
    }

    /**
     * Creates a trend of the growth of a counter, per second. A counter that begins anew, as that
     * of a cube does when it is opened again, has no growth.
     */
    static Trend rate(String name, String metric, String... label) {
        return new Trend(
                name,
                (before, now, seconds) ->
                        Math.max(0, now.sum(metric, label) - before.sum(metric, label)) / seconds);
    }

    /** Creates a trend of a quantile of the values between two readings. */
    static Trend quantile(String name, String metric, double share) {
        return new Trend(name, (before, now, seconds) -> now.quantile(metric, share, before));
    }
}
