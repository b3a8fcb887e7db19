package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MeterTableTest {
    /** Two figures of one moment. */
    private record Now(long reads, Map<String, Long> byKind) {}

    private final MeterTable<Now> table =
            new MeterTable<Now>("things", "cube")
                    .counter("volute_reads_total", "Reads of [`pages`](pages.md#reads)", Now::reads)
                    .gauges("volute_pages", "Pages, by kind", "", "kind", Now::byKind);

    private MetricSnapshot only(String name, Map<String, Now> instances) {
        List<MetricSnapshot> found =
                table.snapshots(instances)
                        .filter(each -> each.getMetadata().getName().equals(name))
                        .toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void oneMetricHasAllInstances() {
        Map<String, Now> instances =
                Map.of("a", new Now(1, Map.of()), "b", new Now(2, Map.of("hot", 5L)));
        Map<String, Double> reads = new TreeMap<>();
        ((CounterSnapshot) only("volute_reads", instances))
                .getDataPoints()
                .forEach(each -> reads.put(each.getLabels().get("cube"), each.getValue()));
        assertThat(reads).isEqualTo(Map.of("a", 1.0, "b", 2.0));
        GaugeSnapshot pages = (GaugeSnapshot) only("volute_pages", instances);
        assertThat(pages.getDataPoints()).hasSize(1);
        assertThat(pages.getDataPoints().getFirst().getLabels().get("kind")).isEqualTo("hot");
        assertThat(pages.getDataPoints().getFirst().getLabels().get("cube")).isEqualTo("b");
    }

    @Test
    void aMetricWithoutValuesIsLeftOut() {
        assertThat(table.snapshots(Map.of("a", new Now(1, Map.of())))).hasSize(1);
        assertThat(table.snapshots(Map.of())).isEmpty();
    }

    @Test
    void theHelpHasNoMarkdown() {
        assertThat(only("volute_reads", Map.of("a", new Now(1, Map.of()))).getMetadata().getHelp())
                .isEqualTo("Reads of pages");
    }
}
