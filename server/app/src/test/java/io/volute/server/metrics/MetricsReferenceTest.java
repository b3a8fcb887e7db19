package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.metrics.MeterTable.Row;
import io.volute.testkit.GeneratedPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Renders the tables of docs/reference/metrics.md from the rows of all metrics. */
class MetricsReferenceTest {
    private static final List<String> HEADER =
            List.of("Name", "Type", "Labels", "What it is", "When it is bad");

    private static List<List<String>> rows(MeterTable<?> table) {
        return table.rows().stream().map(row -> cells(table, row)).toList();
    }

    private static List<String> cells(MeterTable<?> table, Row<?> row) {
        String labels =
                Stream.concat(table.label().stream(), row.labels().stream())
                        .map(label -> "`" + label + "`")
                        .collect(Collectors.joining(", "));
        return List.of(
                "`" + row.name() + "`", row.type().text(), labels, row.help(), row.attention());
    }

    @Test
    void theDocumentHasTheRowsOfTheCode() throws IOException {
        Map<String, List<List<String>>> sections = new LinkedHashMap<>();
        for (MeterTable<?> each : Metrics.TABLES) {
            sections.computeIfAbsent(each.section(), name -> new ArrayList<>()).addAll(rows(each));
        }
        GeneratedPage page = GeneratedPage.of("docs/reference/metrics.md");
        sections.forEach((name, rows) -> page.part(name, GeneratedPage.table(HEADER, rows)));
        page.check();
    }

    @Test
    void aMetricHasOneRow() {
        assertThat(Metrics.TABLES.stream().flatMap(each -> each.rows().stream()).map(Row::name))
                .doesNotHaveDuplicates();
    }
}
