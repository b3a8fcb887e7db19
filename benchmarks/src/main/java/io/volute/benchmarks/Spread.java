package io.volute.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * What repeated measurements of one figure have shown.
 *
 * @param count of the measurements
 */
public record Spread(double median, double min, double max, int count) {

    /**
     * Of the same figure of several runs.
     *
     * @param figures one at least
     */
    public static Spread of(List<Double> figures) {
        return new Spread(
                Median.of(figures.stream().mapToDouble(Double::doubleValue)),
                figures.stream().mapToDouble(Double::doubleValue).min().orElseThrow(),
                figures.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
                figures.size());
    }

    /** Median, least and most, for a reader. */
    public String text() {
        return count == 1
                ? digits(median)
                : digits(median) + " [" + digits(min) + ".." + digits(max) + "]";
    }

    /** Four digits at least, whatever the size. */
    private static String digits(double number) {
        double size = Math.abs(number);
        String format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, number);
    }
}
