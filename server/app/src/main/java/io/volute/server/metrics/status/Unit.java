package io.volute.server.metrics.status;

import java.util.Locale;

/** The unit of a figure, and its form for people. */
enum Unit {
    COUNT("", 1),
    PER_SECOND("/s", 1),
    BYTES("B", 1),
    BYTES_PER_SECOND("B/s", 1),
    MILLIS("ms", 1e3),
    PERCENT("%", 100);

    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    private static final String[] DECIMAL = {"", "k", "M", "G", "T"};

    private final String symbol;
    private final double scale;

    Unit(String symbol, double scale) {
        this.symbol = symbol;
        this.scale = scale;
    }

    /**
     * Three digits and the unit, with its prefix.
     *
     * @param value in the unit of the metric: seconds for milliseconds, a share for percent
     */
    String text(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        String[] prefixes = symbol.startsWith("B") ? BINARY : DECIMAL;
        int step = symbol.startsWith("B") ? 1024 : 1000;
        double scaled = value * scale;
        int prefix = 0;
        while (isPrefixed() && Math.abs(scaled) >= step && prefix < prefixes.length - 1) {
            scaled /= step;
            prefix++;
        }
        boolean isWhole = scaled == Math.rint(scaled) || Math.abs(scaled) >= 100;
        int digits = isWhole ? 0 : Math.abs(scaled) >= 10 ? 1 : 2;
        String unit = prefixes[prefix] + symbol;
        return String.format(Locale.ROOT, "%." + digits + "f", scaled)
                + (unit.isEmpty() || unit.startsWith("/") ? unit : " " + unit);
    }

    private boolean isPrefixed() {
        return this != MILLIS && this != PERCENT;
    }
}
