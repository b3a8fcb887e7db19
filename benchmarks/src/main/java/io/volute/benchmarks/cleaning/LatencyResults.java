package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Median;
import io.volute.benchmarks.cleaning.LatencyStore.Window;
import io.volute.storage.io.WriteCause;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Prints pairs of windows as they come, and in the end their ratios; writes both to a file. */
final class LatencyResults {
    private static final double MEDIAN_GOAL = 1.05;
    private static final double P99_GOAL = 2.0;

    /** What is compared. */
    private enum Figure {
        P50("p50", 50),
        P99("p99", 99),
        P999("p99.9", 99.9),
        MAX("max", 100);

        private final String title;
        private final double percentile;

        Figure(String title, double percentile) {
            this.title = title;
            this.percentile = percentile;
        }

        double millis(Histogram of) {
            return of.getValueAtPercentile(percentile) / 1e6;
        }
    }

    private final PrintStream out;
    private final LatencyOptions options;
    private final Findings findings;
    private final List<Window> with = new ArrayList<>();
    private final List<Window> without = new ArrayList<>();
    private List<Double> most = List.of();
    private double rate;
    private long objects;

    LatencyResults(PrintStream out, LatencyOptions options, Findings findings) {
        this.out = out;
        this.options = options;
        this.findings = findings;
    }

    void complain(String text) {
        findings.complain(text, line("complaint"));
    }

    /**
     * @param fastest writes a second as fast as it goes: cleaned at first and then, and not cleaned
     */
    void begin(int count, double perSecond, List<Double> fastest) {
        most = fastest;
        objects = count;
        rate = perSecond;
        out.printf(
                Locale.ROOT,
                "at most %.0f writes/s at first, %.0f then; not cleaned %.0f%n",
                fastest.toArray());
        out.printf(
                Locale.ROOT,
                "%d objects of %d B, %d%% live; %s; latency in ms from when due%n",
                count,
                options.objectBytes(),
                options.utilization(),
                perSecond > 0
                        ? String.format(Locale.ROOT, "%.0f writes/s", perSecond)
                        : "one client, each write after the last");
    }

    void add(int pair, Window cleaned, Window roomy) {
        with.add(cleaned);
        without.add(roomy);
        show("cleaned", pair, cleaned);
        show("roomy", pair, roomy);
    }

    private void show(String store, int pair, Window window) {
        Stopwatch.Times times = window.paced().fromDue();
        JsonLine line =
                line("window")
                        .put("store", store)
                        .put("pair", (long) pair)
                        .put("seconds", times.seconds())
                        .put("writes", times.writes());
        StringBuilder text = new StringBuilder();
        for (Figure figure : Figure.values()) {
            double due = figure.millis(times.nanos());
            double begin = figure.millis(window.paced().fromBegin().nanos());
            text.append(String.format(Locale.ROOT, " %s %8.3f", figure.title, due));
            line.put(figure.title + "_ms", due).put(figure.title + "_from_begin_ms", begin);
        }
        out.printf(
                Locale.ROOT,
                "pair %2d %-8s%s  cleaning/new %5.2f zeros/new %4.2f busy %d full %d%n",
                pair,
                store,
                text,
                window.written().amplification(WriteCause.CLEANING),
                window.written().amplification(WriteCause.PREPARE),
                window.paced().fromBegin().busy(),
                window.paced().fromBegin().full());
        line.put("refused_busy", window.paced().fromBegin().busy())
                .put("refused_full", window.paced().fromBegin().full());
        for (WriteCause cause : WriteCause.values()) {
            line.put("bytes_" + cause.name().toLowerCase(Locale.ROOT), window.written().of(cause));
        }
        findings.append(line);
    }

    /** Compares: pair by pair, which is robust against a bad moment, and all together. */
    void end(Spaces spaces) {
        JsonLine line = line("ratio").put("pairs", (long) with.size());
        for (Figure figure : Figure.values()) {
            double inPairs = median(window -> figure.millis(window.fromDue().nanos()));
            double fromBegin = median(window -> figure.millis(window.fromBegin().nanos()));
            double together = figure.millis(merged(with)) / figure.millis(merged(without));
            out.printf(
                    Locale.ROOT,
                    "%-6s with cleaning / without: median of pairs %.3f, all windows %.3f;"
                            + " from begin %.3f%s%n",
                    figure.title,
                    inPairs,
                    together,
                    fromBegin,
                    verdict(figure, inPairs));
            line.put("ratio_" + figure.title, inPairs)
                    .put("ratio_all_" + figure.title, together)
                    .put("ratio_from_begin_" + figure.title, fromBegin);
        }
        line.put("most_writes_per_s_early", most.get(0))
                .put("most_writes_per_s", most.get(1))
                .put("most_writes_per_s_roomy", most.get(2));
        findings.append(line.put("live_bytes", spaces.live()).put("used_bytes", spaces.used()));
    }

    private static String verdict(Figure figure, double ratio) {
        return switch (figure) {
            case P50 -> goal(ratio, MEDIAN_GOAL);
            case P99 -> goal(ratio, P99_GOAL);
            case P999, MAX -> "";
        };
    }

    private static String goal(double ratio, double goal) {
        return String.format(
                Locale.ROOT, "  (at most %.2f: %s)", goal, ratio <= goal ? "kept" : "MISSED");
    }

    private double median(ToDoubleFunction<Overwriting.Paced> millis) {
        double[] ratios = new double[with.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] =
                    millis.applyAsDouble(with.get(i).paced())
                            / millis.applyAsDouble(without.get(i).paced());
        }
        return Median.of(Arrays.stream(ratios));
    }

    private static Histogram merged(List<Window> windows) {
        Histogram all = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
        windows.forEach(window -> all.add(window.paced().fromDue().nanos()));
        return all;
    }

    private JsonLine line(String kind) {
        return findings.line(kind)
                .put("through", options.through().title())
                .put("utilization_percent", (long) options.utilization())
                .put("object_bytes", (long) options.objectBytes())
                .put("objects", objects)
                .put("writes_per_s", rate);
    }
}
