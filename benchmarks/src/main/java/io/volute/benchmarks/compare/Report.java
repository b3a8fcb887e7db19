package io.volute.benchmarks.compare;

import io.volute.benchmarks.Spread;
import io.volute.benchmarks.compare.Comparison.Compared;
import io.volute.benchmarks.compare.Comparison.Row;
import io.volute.benchmarks.compare.Comparison.Verdict;
import io.volute.server.json.Json;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Says what a comparison has found, as a table or in JSON. */
record Report(ResultSet a, ResultSet b, Comparison comparison, List<Compared> failing) {

    boolean isSameMachine() {
        return a.values("machine").size() <= 1 && a.values("machine").equals(b.values("machine"));
    }

    void printText(PrintStream out) {
        heading(out, "A", a);
        heading(out, "B", b);
        if (!isSameMachine()) {
            out.println(
                    "DIFFERENT MACHINES: the ratios are of the machines as much as of the code");
        }
        if (!comparison.common().isEmpty()) {
            out.println("in all: " + text(comparison.common()));
        }
        for (Row row : comparison.rows()) {
            out.println();
            out.println(text(row.settings()));
            out.printf(Locale.ROOT, "  %-28s %-30s %-30s %s%n", "", "A", "B", "B/A");
            for (Compared each : row.figures()) {
                out.printf(
                        Locale.ROOT,
                        "  %-28s %-30s %-30s %.3f  %s%n",
                        each.figure(),
                        each.a().text(),
                        each.b().text(),
                        each.ratio(),
                        text(each.verdict()) + (failing.contains(each) ? "  FAILS" : ""));
            }
        }
        alone(out, "A", comparison.onlyInA());
        alone(out, "B", comparison.onlyInB());
        if (comparison.rows().isEmpty()) {
            out.println("nothing was measured with the same settings in both");
        }
    }

    private static void heading(PrintStream out, String name, ResultSet set) {
        out.printf(
                Locale.ROOT,
                "%s %s: commit %s, %d lines%s%s%n",
                name,
                set.name(),
                String.join(", ", set.values("commit")),
                set.lines(),
                set.leftOut() > 0 ? ", " + set.leftOut() + " others left out" : "",
                set.errors() > 0 ? ", WITH " + set.errors() + " ERRORS" : "");
        set.values("machine").forEach(machine -> out.println("  on " + machine));
    }

    private static void alone(PrintStream out, String name, List<Map<String, String>> keys) {
        if (!keys.isEmpty()) {
            out.println();
            out.println("in " + name + " only:");
            keys.forEach(key -> out.println("  " + text(key)));
        }
    }

    private static String text(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private static String text(Verdict verdict) {
        return switch (verdict) {
            case WITHIN_SPREAD -> "within the spread";
            case BETTER -> "better, beyond the spread";
            case WORSE -> "WORSE, beyond the spread";
            case UNKNOWN -> "one run: no spread";
        };
    }

    /** The same for programs. */
    String json() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("a", json(a));
        document.put("b", json(b));
        document.put("sameMachine", isSameMachine());
        document.put("common", comparison.common());
        document.put("rows", comparison.rows().stream().map(this::json).toList());
        document.put("onlyInA", comparison.onlyInA());
        document.put("onlyInB", comparison.onlyInB());
        document.put("fails", !failing.isEmpty());
        return new String(Json.write(document), StandardCharsets.UTF_8);
    }

    private static Map<String, Object> json(ResultSet set) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("file", set.name());
        document.put("commits", List.copyOf(set.values("commit")));
        document.put("machines", List.copyOf(set.values("machine")));
        document.put("lines", set.lines());
        document.put("leftOut", set.leftOut());
        document.put("errors", set.errors());
        return document;
    }

    private Map<String, Object> json(Row row) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("settings", row.settings());
        document.put("figures", row.figures().stream().map(this::json).toList());
        return document;
    }

    private Map<String, Object> json(Compared compared) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("figure", compared.figure());
        document.put("a", json(compared.a()));
        document.put("b", json(compared.b()));
        document.put("ratio", compared.ratio());
        document.put("verdict", compared.verdict().name().toLowerCase(Locale.ROOT));
        document.put("fails", failing.contains(compared));
        return document;
    }

    private static Map<String, Object> json(Spread spread) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("median", spread.median());
        document.put("min", spread.min());
        document.put("max", spread.max());
        document.put("runs", spread.count());
        return document;
    }
}
