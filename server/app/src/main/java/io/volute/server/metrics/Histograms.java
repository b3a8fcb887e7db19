package io.volute.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.volute.storage.report.Distribution;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Histograms that the storage core counts itself. Micrometer has no meter that reads a histogram
 * from elsewhere, so these go to the Prometheus registry beneath it.
 */
final class Histograms implements MultiCollector {
    private static final double NANOS = 1e-9;

    /** The unit of recorded values, as a part of a base unit. */
    enum Unit {
        NANOSECONDS(NANOS),
        BYTES(1),
        COUNT(1);

        private final double scale;

        Unit(double scale) {
            this.scale = scale;
        }
    }

    private record Histogram(
            String name,
            String help,
            Unit unit,
            Supplier<Map<Labels, Distribution.Counts>> source) {}

    private final List<Histogram> all = new CopyOnWriteArrayList<>();

    Histograms(PrometheusRegistry registry) {
        registry.register(this);
    }

    /**
     * Adds one.
     *
     * @param source its values, by labels
     */
    void add(
            String name,
            String help,
            Unit unit,
            Supplier<Map<Labels, Distribution.Counts>> source) {
        all.add(new Histogram(name, help, unit, source));
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder found = MetricSnapshots.builder();
        for (Histogram each : all) {
            HistogramSnapshot.Builder snapshot =
                    HistogramSnapshot.builder().name(each.name()).help(each.help());
            new LinkedHashMap<>(each.source().get())
                    .forEach(
                            (labels, counts) ->
                                    snapshot.dataPoint(point(labels, counts, each.unit().scale)));
            found.metricSnapshot(snapshot.build());
        }
        return found.build();
    }

    private static HistogramDataPointSnapshot point(
            Labels labels, Distribution.Counts counts, double scale) {
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
    }
}
