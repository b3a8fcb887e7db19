package io.volute.server.metrics.status;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All metrics of one moment, by the names of {@code docs/reference/metrics.md}. */
final class Reading {
    private static final String TOTAL = "_total";

    private final Map<String, MetricSnapshot> metrics = new HashMap<>();

    Reading(MetricSnapshots snapshots) {
        for (MetricSnapshot each : snapshots) {
            metrics.put(each.getMetadata().getName(), each);
        }
    }

    private Stream<? extends DataPointSnapshot> points(String name) {
        // The name of a counter is here without its suffix.
        String base =
                name.endsWith(TOTAL) ? name.substring(0, name.length() - TOTAL.length()) : name;
        MetricSnapshot found = metrics.get(base);
        return found == null ? Stream.empty() : found.getDataPoints().stream();
    }

    private static double value(DataPointSnapshot point) {
        return switch (point) {
            case CounterDataPointSnapshot counter -> counter.getValue();
            case GaugeDataPointSnapshot gauge -> gauge.getValue();
            default -> throw new IllegalArgumentException(point + " has no single value");
        };
    }

    /**
     * The sum over all cubes, operations and so on; 0 when there are none.
     *
     * @param label and its value, in turns, that are counted alone
     */
    double sum(String name, String... label) {
        return points(name).filter(each -> has(each, label)).mapToDouble(Reading::value).sum();
    }

    private static boolean has(DataPointSnapshot point, String... label) {
        for (int i = 0; i < label.length; i += 2) {
            if (!label[i + 1].equals(point.getLabels().get(label[i]))) {
                return false;
            }
        }
        return true;
    }

    /** The sum for each value of a label, by this value. */
    Map<String, Double> by(String name, String label) {
        Map<String, Double> sums = new TreeMap<>();
        points(name)
                .filter(each -> each.getLabels().contains(label))
                .forEach(each -> sums.merge(each.getLabels().get(label), value(each), Double::sum));
        return sums;
    }

    /** Values of labels where a gauge is 1: what of several possible things is so. */
    Optional<String> current(String name, String label) {
        return points(name)
                .filter(each -> value(each) == 1)
                .map(each -> each.getLabels().get(label))
                .findFirst();
    }

    /**
     * The value that a share of what a histogram has counted since then is not above; between two
     * bounds it is taken to lie evenly.
     *
     * @return NaN when nothing was counted; where it is above the last bound, this bound
     */
    double quantile(String name, double share, Reading since) {
        TreeMap<Double, Double> counts = counts(name);
        since.counts(name).forEach((bound, count) -> counts.merge(bound, -count, Double::sum));
        double wanted = share * counts.values().stream().mapToDouble(Double::doubleValue).sum();
        if (!(wanted > 0)) {
            return Double.NaN;
        }
        double below = 0;
        double from = 0;
        for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
            double to = bucket.getKey();
            if (Double.isInfinite(to)) {
                return from;
            }
            if (below + bucket.getValue() >= wanted) {
                return from + (to - from) * (wanted - below) / bucket.getValue();
            }
            below += bucket.getValue();
            from = to;
        }
        return from;
    }

    /** Returns the number of values up to each bound and above the bound before it. */
    private TreeMap<Double, Double> counts(String name) {
        TreeMap<Double, Double> counts = new TreeMap<>();
        points(name)
                .map(HistogramDataPointSnapshot.class::cast)
                .map(HistogramDataPointSnapshot::getClassicBuckets)
                .flatMap(ClassicHistogramBuckets::stream)
                .forEach(
                        each ->
                                counts.merge(
                                        each.getUpperBound(),
                                        (double) each.getCount(),
                                        Double::sum));
        return counts;
    }
}
