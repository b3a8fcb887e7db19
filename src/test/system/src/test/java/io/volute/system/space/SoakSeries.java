package io.volute.system.space;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Samples over time, in memory and in a CSV file, and whether they stay flat. */
final class SoakSeries {
    private static final int SAMPLES_MIN = 8;

    private final Path file;
    private final List<Map<String, Double>> samples = new ArrayList<>();

    /**
     * @param file of the samples; replaced
     */
    SoakSeries(Path file) throws IOException {
        this.file = file;
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
    }

    /** Adds a sample; all have the same names in the same order. */
    void add(Map<String, Double> sample) throws IOException {
        String names = samples.isEmpty() ? String.join(",", sample.keySet()) + "\n" : "";
        String values =
                sample.values().stream()
                        .map(value -> String.format(Locale.ROOT, "%.3f", value))
                        .collect(Collectors.joining(","));
        Files.writeString(
                file, names + values + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        samples.add(sample);
    }

    int size() {
        return samples.size();
    }

    /**
     * A bound of growth: the median of the last quarter is at most that of the second quarter times
     * the factor, and the slack more. The first quarter is for caches to fill.
     */
    record Flat(String name, double factor, double slack) {}

    /** Returns the broken bounds, or a message if there are too few samples. */
    List<String> growth(List<Flat> bounds) {
        if (samples.size() < SAMPLES_MIN) {
            return List.of(samples.size() + " samples tell nothing: at least " + SAMPLES_MIN);
        }
        List<String> broken = new ArrayList<>();
        int quarter = samples.size() / 4;
        for (Flat bound : bounds) {
            double before = median(bound.name(), quarter, 2 * quarter);
            double after = median(bound.name(), samples.size() - quarter, samples.size());
            if (after > before * bound.factor() + bound.slack()) {
                broken.add(
                        String.format(
                                Locale.ROOT,
                                "%s: %.1f in the second quarter, %.1f in the last: more than %.2f"
                                        + " times and %.1f",
                                bound.name(),
                                before,
                                after,
                                bound.factor(),
                                bound.slack()));
            }
        }
        return broken;
    }

    /** Medians of the quarters, for a human. */
    String summary(String name) {
        int quarter = Math.max(1, samples.size() / 4);
        List<String> medians = new ArrayList<>();
        for (int from = 0; from + quarter <= samples.size() && medians.size() < 4; ) {
            medians.add(String.format(Locale.ROOT, "%.2f", median(name, from, from + quarter)));
            from += quarter;
        }
        return name + " " + String.join(" ", medians);
    }

    private double median(String name, int from, int to) {
        double[] sorted =
                samples.subList(from, to).stream()
                        .mapToDouble(sample -> sample.get(name))
                        .sorted()
                        .toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
