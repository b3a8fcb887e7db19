package io.volute.benchmarks.compare;

import io.volute.benchmarks.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What two sets of results have in common, and what one has alone.
 *
 * @param common settings that are the same in all rows
 * @param onlyInA settings that were measured in A alone
 */
record Comparison(
        Map<String, String> common,
        List<Row> rows,
        List<Map<String, String>> onlyInA,
        List<Map<String, String>> onlyInB) {

    /** What is compared unless it is said. */
    static final List<String> FIGURES =
            List.of(
                    "ops_per_s",
                    "writes_per_s",
                    "operations_per_s",
                    "p50_ms",
                    "p99_ms",
                    "p999_ms",
                    "p99.9_ms",
                    "server_cpu_ms_per_op",
                    "cpu_ms_per_write",
                    "cleaning_bytes_per_new_byte");

    private static final String RATE_SUFFIX = "_per_s";

    /** What a ratio says. */
    enum Verdict {
        /** Runs of the one lie among those of the other. */
        WITHIN_SPREAD,
        BETTER,
        WORSE,
        /** One of them has one run, so that its spread is not known. */
        UNKNOWN
    }

    /**
     * One figure in both.
     *
     * @param more whether more is better
     */
    record Compared(String figure, boolean more, Spread a, Spread b) {

        /** B to A. */
        double ratio() {
            return a.median() == b.median() ? 1 : b.median() / a.median();
        }

        Verdict verdict() {
            if (a.count() == 1 || b.count() == 1) {
                return Verdict.UNKNOWN;
            }
            if (a.overlaps(b)) {
                return Verdict.WITHIN_SPREAD;
            }
            return more == b.median() > a.median() ? Verdict.BETTER : Verdict.WORSE;
        }
    }

    /**
     * What was measured with the same settings.
     *
     * @param settings that are not common to all rows
     */
    record Row(Map<String, String> settings, List<Compared> figures) {}

    /**
     * Compares.
     *
     * @param figures that are looked at, where they are
     */
    static Comparison of(ResultSet a, ResultSet b, List<String> figures) {
        List<Row> rows = new ArrayList<>();
        a.byKey()
                .forEach(
                        (key, lines) -> {
                            List<ResultLine> others = b.byKey().getOrDefault(key, List.of());
                            List<Compared> compared = compared(lines, others, figures);
                            if (!compared.isEmpty()) {
                                rows.add(new Row(key, compared));
                            }
                        });
        Map<String, String> common = common(rows);
        return new Comparison(
                common,
                rows.stream()
                        .map(row -> new Row(without(row.settings(), common), row.figures()))
                        .toList(),
                alone(a, b, figures),
                alone(b, a, figures));
    }

    private static List<Compared> compared(
            List<ResultLine> a, List<ResultLine> b, List<String> figures) {
        List<Compared> all = new ArrayList<>();
        for (String figure : figures) {
            Optional<Spread> ofA = spread(a, figure);
            Optional<Spread> ofB = spread(b, figure);
            if (ofA.isPresent() && ofB.isPresent()) {
                boolean more = figure.endsWith(RATE_SUFFIX);
                all.add(new Compared(figure, more, ofA.get(), ofB.get()));
            }
        }
        return all;
    }

    /** Empty where it is no result: no line has it, or throughput was given. */
    private static Optional<Spread> spread(List<ResultLine> lines, String figure) {
        List<Double> values =
                lines.stream()
                        .filter(line -> !(figure.endsWith(RATE_SUFFIX) && line.isPaced()))
                        .flatMap(line -> line.number(figure).stream())
                        .toList();
        return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values));
    }

    private static Map<String, String> common(List<Row> rows) {
        if (rows.size() < 2) {
            return Map.of();
        }
        Map<String, String> common = new LinkedHashMap<>(rows.getFirst().settings());
        for (Row row : rows) {
            common.entrySet().retainAll(row.settings().entrySet());
        }
        return common;
    }

    private static Map<String, String> without(
            Map<String, String> settings, Map<String, String> common) {
        Map<String, String> own = new LinkedHashMap<>(settings);
        own.keySet().removeAll(common.keySet());
        return own;
    }

    /** Settings with figures that the other set does not have. */
    private static List<Map<String, String>> alone(
            ResultSet in, ResultSet other, List<String> figures) {
        Set<Map<String, String>> keys = new LinkedHashSet<>(in.byKey().keySet());
        keys.removeAll(other.byKey().keySet());
        keys.removeIf(
                key ->
                        figures.stream()
                                .allMatch(each -> spread(in.byKey().get(key), each).isEmpty()));
        return List.copyOf(keys);
    }

    /** Figures of which less is better and that are so many times as much, and the other way. */
    List<Compared> failing(Optional<Double> below, Optional<Double> above) {
        return rows.stream()
                .flatMap(row -> row.figures().stream())
                .filter(
                        each ->
                                each.more()
                                        ? below.isPresent() && each.ratio() < below.get()
                                        : above.isPresent() && each.ratio() > above.get())
                .toList();
    }
}
