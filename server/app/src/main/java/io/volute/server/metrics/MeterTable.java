package io.volute.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.volute.storage.report.Distribution;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Metrics of one kind of figures, a row for each. A row is all that there is of a metric:
 * Prometheus gets its name, type, help and values, and {@code docs/reference/metrics.md} is
 * rendered from its texts. A help may have links and code as in Markdown; Prometheus gets it
 * without them.
 *
 * <p>Tables are constants: rows are added while the table is created, by one thread.
 *
 * @param <T> the figures of one moment, with all values of the rows
 */
final class MeterTable<T> {
    private static final String TOTAL = "_total";
    private static final String NO_ATTENTION = "";
    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
    private static final double NANOS = 1e-9;

    enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM;

        /** Returns the name that Prometheus has for the type. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A metric.
     *
     * @param name for Prometheus; of a counter with {@code _total}
     * @param labels names of the labels that the row adds to the label of the table
     * @param help the counted thing with its unit, understood without other metrics
     * @param attention the values that need attention, with the action; empty if there are none
     * @param points returns the values of one instance, which has these labels
     */
    record Row<T>(
            Type type,
            String name,
            List<String> labels,
            String help,
            String attention,
            BiFunction<T, Labels, Stream<DataPointSnapshot>> points) {}

    private final String section;
    private final List<String> label;
    private final List<Row<T>> rows = new ArrayList<>();

    /**
     * Creates a table of figures that the server has once.
     *
     * @param section the part of {@code docs/reference/metrics.md} with its rows
     */
    MeterTable(String section) {
        this.section = section;
        this.label = List.of();
    }

    /**
     * Creates a table of figures that the server has several times.
     *
     * @param section the part of {@code docs/reference/metrics.md} with its rows
     * @param label the name of the label that distinguishes the instances
     */
    MeterTable(String section, String label) {
        this.section = section;
        this.label = List.of(label);
    }

    String section() {
        return section;
    }

    /** Returns the name of the label of all rows; empty if there is one instance. */
    List<String> label() {
        return label;
    }

    List<Row<T>> rows() {
        return Collections.unmodifiableList(rows);
    }

    /** Adds a figure that only grows; its name ends with {@code _total}. */
    MeterTable<T> counter(String name, String help, ToDoubleFunction<T> figure) {
        return counter(name, help, NO_ATTENTION, figure);
    }

    /** Adds a figure that only grows; its name ends with {@code _total}. */
    MeterTable<T> counter(String name, String help, String attention, ToDoubleFunction<T> figure) {
        return add(
                Type.COUNTER, name, help, attention, List.of(), one(figure), MeterTable::counted);
    }

    /** Adds figures that only grow, one for each value of a label. */
    MeterTable<T> counters(
            String name,
            String help,
            String attention,
            String label,
            Function<T, Map<String, ? extends Number>> figures) {
        return counters(name, help, attention, List.of(label), now -> listed(figures.apply(now)));
    }

    /** Adds figures that only grow, one for each combination of values of labels. */
    MeterTable<T> counters(
            String name,
            String help,
            String attention,
            List<String> labels,
            Function<T, Map<List<String>, ? extends Number>> figures) {
        return add(Type.COUNTER, name, help, attention, labels, figures, MeterTable::counted);
    }

    /** Adds a figure that rises and falls. */
    MeterTable<T> gauge(String name, String help, ToDoubleFunction<T> figure) {
        return gauge(name, help, NO_ATTENTION, figure);
    }

    /** Adds a figure that rises and falls. */
    MeterTable<T> gauge(String name, String help, String attention, ToDoubleFunction<T> figure) {
        return add(Type.GAUGE, name, help, attention, List.of(), one(figure), MeterTable::measured);
    }

    /** Adds figures that rise and fall, one for each value of a label. */
    MeterTable<T> gauges(
            String name,
            String help,
            String attention,
            String label,
            Function<T, Map<String, ? extends Number>> figures) {
        return gauges(name, help, attention, List.of(label), now -> listed(figures.apply(now)));
    }

    /** Adds figures that rise and fall, one for each combination of values of labels. */
    MeterTable<T> gauges(
            String name,
            String help,
            String attention,
            List<String> labels,
            Function<T, Map<List<String>, ? extends Number>> figures) {
        return add(Type.GAUGE, name, help, attention, labels, figures, MeterTable::measured);
    }

    /**
     * Adds a histogram.
     *
     * @param counts in nanoseconds if the name ends with {@code _seconds}, else in the unit of the
     *     name
     */
    MeterTable<T> histogram(
            String name, String help, String attention, Function<T, Distribution.Counts> counts) {
        return add(
                Type.HISTOGRAM,
                name,
                help,
                attention,
                List.of(),
                now -> Map.of(List.of(), counts.apply(now)),
                distributed(name));
    }

    /** Adds a histogram for each value of a label, as {@link #histogram}. */
    MeterTable<T> histograms(
            String name,
            String help,
            String attention,
            String label,
            Function<T, Map<String, Distribution.Counts>> counts) {
        return add(
                Type.HISTOGRAM,
                name,
                help,
                attention,
                List.of(label),
                now -> listed(counts.apply(now)),
                distributed(name));
    }

    private <V> MeterTable<T> add(
            Type type,
            String name,
            String help,
            String attention,
            List<String> labels,
            Function<T, ? extends Map<List<String>, ? extends V>> values,
            BiFunction<Labels, V, DataPointSnapshot> point) {
        BiFunction<T, Labels, Stream<DataPointSnapshot>> points =
                (now, own) ->
                        values.apply(now).entrySet().stream()
                                .map(
                                        each ->
                                                point.apply(
                                                        own.merge(Labels.of(labels, each.getKey())),
                                                        each.getValue()));
        rows.add(new Row<>(type, name, labels, help, attention, points));
        return this;
    }

    private static <T> Function<T, Map<List<String>, Double>> one(ToDoubleFunction<T> figure) {
        return now -> Map.of(List.of(), figure.applyAsDouble(now));
    }

    private static <V> Map<List<String>, V> listed(Map<String, ? extends V> byLabel) {
        Map<List<String>, V> byLabels = new HashMap<>();
        byLabel.forEach((value, figure) -> byLabels.put(List.of(value), figure));
        return byLabels;
    }

    /**
     * Returns 1 for the present constant and 0 for all others, by the text that labels have for
     * each.
     */
    static <E extends Enum<E>> Map<String, Integer> current(E[] constants, E present) {
        Map<String, Integer> byLabel = new HashMap<>();
        for (E each : constants) {
            byLabel.put(KindCounts.label(each), each == present ? 1 : 0);
        }
        return byLabel;
    }

    private static DataPointSnapshot counted(Labels labels, Number value) {
        return CounterDataPointSnapshot.builder().labels(labels).value(value.doubleValue()).build();
    }

    private static DataPointSnapshot measured(Labels labels, Number value) {
        return GaugeDataPointSnapshot.builder().labels(labels).value(value.doubleValue()).build();
    }

    private static BiFunction<Labels, Distribution.Counts, DataPointSnapshot> distributed(
            String name) {
        double scale = name.endsWith("_seconds") ? NANOS : 1;
        return (labels, counts) -> {
            ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
            for (int i = 0; i < counts.bounds().size(); i++) {
                buckets.bucket(counts.bounds().get(i) * scale, counts.values().get(i));
            }
            buckets.bucket(Double.POSITIVE_INFINITY, counts.values().getLast());
            return HistogramDataPointSnapshot.builder()
                    .labels(labels)
                    .classicHistogramBuckets(buckets.build())
                    .sum(counts.sum() * scale)
                    .build();
        };
    }

    /**
     * Returns the metrics that have values.
     *
     * @param instances the figures by the label of the table; by an empty text if it has none
     */
    Stream<MetricSnapshot> snapshots(Map<String, T> instances) {
        return rows.stream()
                .map(row -> snapshot(row, instances))
                .filter(each -> !each.getDataPoints().isEmpty());
    }

    private MetricSnapshot snapshot(Row<T> row, Map<String, T> instances) {
        Stream<DataPointSnapshot> points =
                instances.entrySet().stream()
                        .flatMap(each -> row.points().apply(each.getValue(), own(each.getKey())));
        String help = LINK.matcher(row.help()).replaceAll("$1").replace("`", "");
        switch (row.type()) {
            case COUNTER -> {
                String name = row.name().substring(0, row.name().length() - TOTAL.length());
                CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
                points.forEach(each -> counter.dataPoint((CounterDataPointSnapshot) each));
                return counter.build();
            }
            case GAUGE -> {
                GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(row.name()).help(help);
                points.forEach(each -> gauge.dataPoint((GaugeDataPointSnapshot) each));
                return gauge.build();
            }
            default -> {
                HistogramSnapshot.Builder histogram =
                        HistogramSnapshot.builder().name(row.name()).help(help);
                points.forEach(each -> histogram.dataPoint((HistogramDataPointSnapshot) each));
                return histogram.build();
            }
        }
    }

    private Labels own(String instance) {
        return label.isEmpty() ? Labels.EMPTY : Labels.of(label, List.of(instance));
    }
}
