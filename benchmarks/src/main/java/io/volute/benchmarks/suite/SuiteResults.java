package io.volute.benchmarks.suite;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Spread;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.load.LoadResult;
import io.volute.benchmarks.plot.DotPlot;
import io.volute.benchmarks.plot.Svg;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** A file of lines and a plot of one run of the suite, and what it prints. */
final class SuiteResults {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9);
    private static final List<String> PERCENTILE_NAMES = List.of("p50", "p99", "p99.9");

    private final SuiteOptions options;
    private final PrintStream out;
    private final String machine;
    private final Instant begin;
    private final ResultFile lines;
    private final Path plot;

    /** By title, in the order in which they came. */
    private final Map<String, List<LoadResult>> found = new LinkedHashMap<>();

    private long complaints;

    /** To be made when the run begins: files and lines say when that was. */
    SuiteResults(SuiteOptions options, PrintStream out) throws IOException {
        this.options = options;
        this.out = out;
        this.machine = Machine.describe();
        this.begin = Ticks.wallClock();
        Files.createDirectories(options.output());
        String name = "suite-" + STAMP.format(begin) + "-" + options.commit();
        this.lines = new ResultFile(options.output().resolve(name + ".jsonl"));
        this.plot = options.output().resolve(name + ".svg");
    }

    PrintStream out() {
        return out;
    }

    /** Part of the names of keys. */
    String session() {
        return "s" + begin.toEpochMilli();
    }

    long complaints() {
        return complaints;
    }

    /** Whatever makes the figures doubtful. */
    void complain(String text) {
        complaints++;
        out.println("WRONG: " + text);
        lines.append(line("complaint").put("text", text));
    }

    /** A line that says which run it is of, to be filled and given to {@link #append}. */
    JsonLine line(String kind) {
        return new JsonLine()
                .put("kind", kind)
                .put("begin", begin.toString())
                .put("commit", options.commit())
                .put("machine", machine);
    }

    /** The line of a run, to be filled and given to {@link #append}. */
    JsonLine line(Step step, int round) {
        JsonLine line = line("suite").put("round", round).put("mix", step.mix().title());
        if (options.endpoint().isEmpty()) {
            line.put("settings", SuiteOptions.text(step.settings()));
        }
        step.share().ifPresent(share -> line.put("rate_percent", share));
        step.workload().writeTo(line);
        return line;
    }

    void append(JsonLine line) {
        lines.append(line);
    }

    /**
     * Keeps a result and writes it down.
     *
     * @param line of the run
     */
    void add(String title, LoadResult result, JsonLine line) {
        found.computeIfAbsent(title, ignored -> new ArrayList<>()).add(result);
        result.writeTo(line);
        append(line);
        if (result.counts().errors() > 0) {
            complain(
                    title
                            + ": "
                            + result.counts().errors()
                            + " errors, the first "
                            + result.counts().firstError());
        } else if (result.counts().operations() == 0) {
            complain(title + ": nothing was measured");
        }
    }

    /** Prints a table of all, and draws it. */
    void end() throws IOException {
        out.printf(
                Locale.ROOT,
                "%n%-18s %-32s %s%n",
                "",
                "ops/s",
                "ms: " + String.join(" / ", PERCENTILE_NAMES));
        found.forEach(
                (title, results) ->
                        out.printf(
                                Locale.ROOT,
                                "%-18s %-32s %s%n",
                                title,
                                spread(results, LoadResult::operationsPerSecond).text(),
                                DotPlot.medians(latencies(results))));
        Files.writeString(plot, svg());
        out.println(complaints + " complaints; results: " + lines.path() + ", plot: " + plot);
    }

    private static List<Spread> latencies(List<LoadResult> results) {
        return PERCENTILES.stream()
                .map(each -> spread(results, result -> result.latencyMillis(each)))
                .toList();
    }

    private static Spread spread(List<LoadResult> results, ToDoubleFunction<LoadResult> figure) {
        return Spread.of(results.stream().mapToDouble(figure).boxed().toList());
    }

    private String svg() {
        List<DotPlot.Row> rates = new ArrayList<>();
        List<DotPlot.Row> latencies = new ArrayList<>();
        found.forEach(
                (title, results) -> {
                    Spread rate = spread(results, LoadResult::operationsPerSecond);
                    rates.add(new DotPlot.Row(title, List.of(rate)));
                    latencies.add(new DotPlot.Row(title, latencies(results)));
                });
        DotPlot upper = new DotPlot("Operations a second", List.of("ops/s"), rates);
        DotPlot lower = new DotPlot("Latency in ms", PERCENTILE_NAMES, latencies);
        Svg svg = new Svg(DotPlot.WIDTH, upper.height() + lower.height() + 60);
        upper.draw(svg, 0);
        lower.draw(svg, upper.height());
        int y = upper.height() + lower.height() + 16;
        svg.text(20, y, "start", machine + "; commit " + options.commit());
        svg.text(
                20,
                y + 16,
                "start",
                options.load().connections()
                        + " connections, "
                        + options.load().runs()
                        + " runs: the median, and from least to most; clients on the same machine");
        return svg.end();
    }
}
