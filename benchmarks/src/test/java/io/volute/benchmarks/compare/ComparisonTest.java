package io.volute.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.compare.Comparison.Compared;
import io.volute.benchmarks.compare.Comparison.Verdict;
import io.volute.benchmarks.load.LoadOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final List<String> RATE = List.of("ops_per_s");
    private static final List<String> BOTH = List.of("ops_per_s", "p99_ms");

    @Test
    void ratioIsThatOfTheMedians() throws Exception {
        ResultSet a = set(put(100, 2), put(130, 2), put(110, 2));
        ResultSet b = set(put(120, 2), put(10, 2), put(121, 2));

        Compared found = only(Comparison.of(a, b, RATE));

        assertThat(found.ratio()).isCloseTo(120.0 / 110, within(1e-9));
        assertThat(found.a().min()).isEqualTo(100);
        assertThat(found.a().max()).isEqualTo(130);
        assertThat(found.b().count()).isEqualTo(3);
    }

    @Test
    void onlyWhatLiesApartIsADifference() throws Exception {
        ResultSet a = set(put(100, 5), put(110, 5.5));

        assertThat(verdicts(a, set(put(110, 5.5), put(150, 9))))
                .containsExactly(Verdict.WITHIN_SPREAD, Verdict.WITHIN_SPREAD);
        assertThat(verdicts(a, set(put(111, 5.6), put(150, 9))))
                .containsExactly(Verdict.BETTER, Verdict.WORSE);
        assertThat(verdicts(a, set(put(90, 4), put(99, 4.9))))
                .containsExactly(Verdict.WORSE, Verdict.BETTER);
        assertThat(verdicts(a, set(put(1, 100)))).containsOnly(Verdict.UNKNOWN);
    }

    @Test
    void failsByTheRatioThatIsAskedFor() throws Exception {
        Comparison comparison = Comparison.of(set(put(100, 10)), set(put(94, 12)), BOTH);

        assertThat(comparison.failing(Optional.of(0.95), Optional.empty()))
                .extracting(Compared::figure)
                .containsExactly("ops_per_s");
        assertThat(comparison.failing(Optional.of(0.94), Optional.of(1.2))).isEmpty();
        assertThat(comparison.failing(Optional.empty(), Optional.of(1.1)))
                .extracting(Compared::figure)
                .containsExactly("p99_ms");
    }

    @Test
    void onlyTheSameSettingsAreCompared() throws Exception {
        ResultSet a = set(line("op", "PUT", 16, 100), line("op", "GET", 16, 300));
        ResultSet b = set(line("op", "PUT", 16, 200), line("op", "PUT", 32, 400));

        Comparison comparison = Comparison.of(a, b, RATE);

        assertThat(only(comparison).ratio()).isEqualTo(2);
        assertThat(comparison.onlyInA()).containsExactly(Map.of("op", "GET", "connections", "16"));
        assertThat(comparison.onlyInB()).containsExactly(Map.of("op", "PUT", "connections", "32"));
    }

    @Test
    void whatIsTheSameInAllRowsIsSaidOnce() throws Exception {
        ResultSet a = set(line("op", "PUT", 16, 100), line("op", "GET", 16, 300));

        Comparison comparison = Comparison.of(a, a, RATE);

        assertThat(comparison.common()).isEqualTo(Map.of("connections", "16"));
        assertThat(comparison.rows())
                .extracting(Comparison.Row::settings)
                .containsExactly(Map.of("op", "PUT"), Map.of("op", "GET"));
    }

    /** A rate that follows from what was reached differs each time. */
    @Test
    void shareOfTheHighestRateIsTheSettingNotTheRate() throws Exception {
        ResultSet a = set(paced(50, 500.5), paced(80, 800));
        ResultSet b = set(paced(50, 600), paced(80, 960));

        Comparison comparison = Comparison.of(a, b, BOTH);

        assertThat(comparison.rows()).hasSize(2);
        assertThat(comparison.rows())
                .allSatisfy(
                        row ->
                                assertThat(row.figures())
                                        .extracting(Compared::figure)
                                        .containsExactly("p99_ms"));
    }

    @Test
    void ratesThatWereAskedForAreSettings() throws Exception {
        ResultSet slow = set(withRate(new JsonLine(), 100));
        ResultSet fast = set(withRate(new JsonLine(), 200));

        assertThat(Comparison.of(slow, fast, BOTH).rows()).isEmpty();
        assertThat(Comparison.of(slow, fast, BOTH).onlyInA()).hasSize(1);
    }

    @Test
    void linesOfTheLastCommitCount() throws Exception {
        List<ResultLine> lines =
                List.of(of("old", "volute", 1), of("new", "volute", 2), of("new", "volute", 4));

        ResultSet last = ResultSet.of("f", lines, Map.of(), Set.of());
        ResultSet old = ResultSet.of("f", lines, Map.of("commit", "old"), Set.of());

        assertThat(last.lines()).isEqualTo(2);
        assertThat(last.leftOut()).isEqualTo(1);
        assertThat(only(Comparison.of(old, last, RATE)).ratio()).isEqualTo(3);
    }

    @Test
    void whatChoosesLinesMayDiffer() throws Exception {
        List<ResultLine> lines = List.of(of("c", "volute", 6), of("c", "other", 2));

        ResultSet a = ResultSet.of("f", lines, Map.of("target", "volute"), Set.of());
        ResultSet b = ResultSet.of("f", lines, Map.of("target", "other"), Set.of());

        assertThat(only(Comparison.of(a, b, RATE)).ratio()).isCloseTo(1 / 3.0, within(1e-9));
        ResultSet both = ResultSet.of("f", lines, Map.of(), Set.of("target"));
        assertThat(both.byKey().values()).containsExactly(lines);
    }

    /** Lines as run-cleaning.sh and run-latency.sh write them. */
    @Test
    void otherBenchmarksAreComparedToo() throws Exception {
        String point =
                "{\"kind\":\"utilization\",\"commit\":\"c\",\"machine\":\"m\","
                        + "\"through\":\"server\","
                        + "\"utilization_percent\":80,\"objects\":%d,\"writes_per_s\":%d}";
        String window =
                "{\"kind\":\"window\",\"commit\":\"c\",\"machine\":\"m\",\"store\":\"cleaned\","
                        + "\"writes_per_s\":3851.2,\"p99.9_ms\":%d}";
        ResultSet a = set(point.formatted(1000, 50), window.formatted(10));
        ResultSet b = set(point.formatted(1001, 100), window.formatted(20));

        Comparison comparison = Comparison.of(a, b, Comparison.FIGURES);

        assertThat(comparison.rows())
                .extracting(row -> row.figures().size() + row.figures().getFirst().figure())
                .containsExactly("1writes_per_s", "1p99.9_ms");
        assertThat(comparison.failing(Optional.of(3.0), Optional.of(1.9))).hasSize(2);
    }

    /** A new setting of the driver must not be taken for the same figure. */
    @Test
    void allSettingsOfTheDriverTellLinesApart() throws Exception {
        JsonLine line = new JsonLine();
        LoadOptions.parse("--op", "get", "--actors", "2").workload().writeTo(line);

        assertThat(ResultLine.SETTINGS)
                .containsAll(ResultLine.parse(line.toString()).fields().keySet());
    }

    private static Compared only(Comparison comparison) {
        assertThat(comparison.rows()).hasSize(1);
        assertThat(comparison.rows().getFirst().figures()).hasSize(1);
        return comparison.rows().getFirst().figures().getFirst();
    }

    private static List<Verdict> verdicts(ResultSet a, ResultSet b) {
        return Comparison.of(a, b, BOTH).rows().getFirst().figures().stream()
                .map(Compared::verdict)
                .toList();
    }

    private static String put(double operationsPerSecond, double millis) {
        return new JsonLine()
                .put("op", "PUT")
                .put("ops_per_s", operationsPerSecond)
                .put("p99_ms", millis)
                .toString();
    }

    private static String line(String name, String value, int connections, double perSecond) {
        return new JsonLine()
                .put(name, value)
                .put("connections", connections)
                .put("ops_per_s", perSecond)
                .toString();
    }

    private static String paced(int share, double rate) {
        return withRate(new JsonLine().put("rate_percent", share), rate);
    }

    private static String withRate(JsonLine line, double rate) {
        return line.put("rate", rate).put("ops_per_s", rate).put("p99_ms", 7.0).toString();
    }

    private static ResultLine of(String commit, String target, double perSecond) throws Exception {
        JsonLine line = new JsonLine().put("commit", commit).put("target", target);
        return ResultLine.parse(line.put("ops_per_s", perSecond).toString());
    }

    private static ResultSet set(String... lines) throws Exception {
        List<ResultLine> all = new ArrayList<>();
        for (String line : lines) {
            all.add(ResultLine.parse(line));
        }
        return ResultSet.of("test", all, Map.of(), Set.of());
    }
}
