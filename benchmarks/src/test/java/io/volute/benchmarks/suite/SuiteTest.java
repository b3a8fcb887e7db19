package io.volute.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over real servers, for moments: what is written, not how much it is. */
class SuiteTest {
    @TempDir Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void writesLinesWithMachineCommitAndSettingsAndAPlot() throws Exception {
        List<Map<String, Object>> lines = run("--mixes", "get,versioned", "--shares", "50");

        assertThat(lines)
                .extracting(line -> line.get("mix"))
                .containsExactly("get", "get", "versioned");
        assertThat(lines)
                .allSatisfy(
                        line ->
                                assertThat(line)
                                        .containsEntry("kind", "suite")
                                        .containsEntry("commit", "1a2b")
                                        .containsEntry("settings", "log.audit=false")
                                        .containsEntry("connections", 2L)
                                        .containsEntry("errors", 0L)
                                        .containsKey("server_cpu_ms_per_op")
                                        .hasEntrySatisfying(
                                                "machine",
                                                machine ->
                                                        assertThat(machine.toString())
                                                                .contains("Java")));
        assertThat(lines.get(1)).containsEntry("rate_percent", 50L);
        assertThat((double) lines.get(1).get("rate")).isPositive();
        assertThat(lines.get(2)).containsEntry("versioning", "ENABLED");
        assertThat(Files.readString(only(".svg"))).contains("get at 50%", "versioned", "</svg>");
        assertThat(directory.resolve("data")).isEmptyDirectory();
    }

    @Test
    void twoSettingsAreMeasuredInTurns() throws Exception {
        List<Map<String, Object>> lines =
                run(
                        "--mixes",
                        "put",
                        "--runs",
                        "2",
                        "--compare-settings",
                        "metrics.listen=127.0.0.1:0,log.access={scratch}/access.log");

        assertThat(lines.subList(0, 4))
                .extracting(line -> line.get("target").toString() + line.get("round"))
                .containsExactly("A0", "B0", "A1", "B1");
        assertThat(lines.get(1).get("settings").toString()).contains("{scratch}/access.log");
        assertThat(lines.get(4)).containsEntry("kind", "ratio").containsEntry("mix", "put");
        assertThat((double) lines.get(4).get("ratio_ops_per_s_min")).isPositive();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("A/B ops_per_s");
    }

    @Test
    void aFullStoreIsCleanedMeanwhile() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--with-cleaning", "--mixes", "get"));
        arguments.addAll(List.of("--capacity", "16M", "--size", "8K", "--connections", "16"));
        arguments.addAll(List.of("--utilization", "55", "--shares", "none"));
        List<Map<String, Object>> lines = run(arguments.toArray(String[]::new));

        Map<String, Object> line = lines.getFirst();
        assertThat(line)
                .containsEntry("mix", "get")
                .containsEntry("utilization_percent", 55L)
                .containsKeys("cleaning_bytes_per_new_byte", "background_per_s");
        assertThat((double) line.get("live_percent")).isBetween(45.0, 65.0);
    }

    private List<Map<String, Object>> run(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--quick", "--runs", "1"));
        arguments.addAll(List.of("--duration", "1", "--warm-up", "0.1", "--objects", "50"));
        arguments.addAll(List.of("--connections", "2", "--commit", "1a2b"));
        arguments.addAll(List.of("--settings", "log.audit=false"));
        arguments.addAll(List.of("--output", directory.resolve("out").toString()));
        arguments.addAll(List.of("--directory", directory.resolve("data").toString()));
        arguments.addAll(List.of(more));
        SuiteOptions options = SuiteOptions.parse(arguments.toArray(String[]::new));
        Suite.run(
                options,
                new SuiteResults(options, new PrintStream(out, true, StandardCharsets.UTF_8)));
        List<Map<String, Object>> lines = new ArrayList<>();
        for (String line : Files.readAllLines(only(".jsonl"))) {
            lines.add(Json.read(line.getBytes(StandardCharsets.UTF_8)));
        }
        return lines;
    }

    private Path only(String end) throws Exception {
        try (Stream<Path> files = Files.list(directory.resolve("out"))) {
            List<Path> found = files.filter(each -> each.toString().endsWith(end)).toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }
}
