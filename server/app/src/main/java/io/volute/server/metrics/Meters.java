package io.volute.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * The values of tables of metrics. Each source is read once a scrape: its figures are of one
 * moment, and cost nothing in between. Thread-safe.
 */
final class Meters implements MultiCollector {
    /**
     * @param tables all of one kind of figures
     * @param figures supplies them by the label of the tables
     */
    private record Source<T>(List<MeterTable<T>> tables, Supplier<Map<String, T>> figures) {
        void addTo(MetricSnapshots.Builder all) {
            Map<String, T> now = figures.get();
            tables.stream().flatMap(table -> table.snapshots(now)).forEach(all::metricSnapshot);
        }
    }

    private final List<Source<?>> sources = new CopyOnWriteArrayList<>();

    /** Adds the figures that the server has once. */
    <T> void add(MeterTable<T> table, Supplier<T> figures) {
        add(List.of(table), figures);
    }

    /** Adds the figures that the server has once, in several tables. */
    <T> void add(List<MeterTable<T>> tables, Supplier<T> figures) {
        addEach(tables, () -> Map.of("", figures.get()));
    }

    /** Adds the figures that the server has several times, by the label of the table. */
    <T> void addEach(MeterTable<T> table, Supplier<Map<String, T>> figures) {
        addEach(List.of(table), figures);
    }

    /** Adds the figures that the server has several times, by the label of the tables. */
    <T> void addEach(List<MeterTable<T>> tables, Supplier<Map<String, T>> figures) {
        sources.add(new Source<>(tables, figures));
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        sources.forEach(each -> each.addTo(all));
        return all.build();
    }
}
