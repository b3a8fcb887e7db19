package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Spread;
import io.volute.benchmarks.cleaning.UtilizationSeries.Point;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.storage.io.WriteCause;
import java.io.PrintStream;
import java.util.Locale;

/** Prints results as they come, and writes them to the output directory. */
final class Results {
    private final PrintStream out;
    private final CleaningOptions options;
    private final Findings findings;

    Results(PrintStream out, CleaningOptions options, Findings findings) {
        this.out = out;
        this.options = options;
        this.findings = findings;
    }

    void complain(String text) {
        findings.complain(text, line("complaint"));
    }

    private JsonLine line(String kind) {
        return findings.line(kind).put("through", options.through().title());
    }

    void add(Point point) {
        out.printf(
                Locale.ROOT,
                "%-36s %d%%  %7.1f MB/s %8.0f puts/s  p50 %6.2f p99 %7.2f stall %7.1f ms"
                        + "  cleaning/new %5.2f  written/new %5.2f  busy %d full %d  cpu/put %s%n",
                point.plan().title(),
                point.percent(),
                point.megabytesPerSecond(),
                point.writesPerSecond(),
                point.times().micros(50) / 1e3,
                point.times().micros(99) / 1e3,
                point.times().worstStallMillis(),
                point.cleaningPerNew(),
                point.written().amplification(),
                point.times().busy(),
                point.times().full(),
                processorTime(point));
        JsonLine line =
                line("utilization")
                        .put("variant", point.plan().variant().title())
                        .put("distribution", point.plan().distribution().name())
                        .put("object_bytes", (long) point.plan().objectBytes())
                        .put("utilization_percent", (long) point.percent())
                        .put("objects", (long) point.objects())
                        .put("mb_per_s", point.megabytesPerSecond());
        long writes = point.times().writes();
        line.put("cpu_ms_per_write", ProcessorTime.millisPer(writes, point.taken().store()));
        point.taken()
                .clients()
                .map(taken -> ProcessorTime.millisPer(writes, taken))
                .ifPresent(millis -> line.put("client_cpu_ms_per_write", millis));
        findings.append(measured(line, point.times(), point.written(), point.spaces()));
        point.wrong().forEach(this::complain);
    }

    private static String processorTime(Point point) {
        long writes = point.times().writes();
        String store = millis(ProcessorTime.millisPer(writes, point.taken().store()));
        return point.taken()
                .clients()
                .map(taken -> store + ", clients " + millis(ProcessorTime.millisPer(writes, taken)))
                .orElse(store);
    }

    private static String millis(double number) {
        return String.format(Locale.ROOT, "%.3f ms", number);
    }

    void add(UtilizationTurns.Outcome outcome) {
        for (UtilizationTurns.Store store : outcome.stores()) {
            Spread rate = store.spread(UtilizationTurns.Turn::writesPerSecond);
            Spread ratio = outcome.ratio(store);
            Spread taken = store.spread(UtilizationTurns.Turn::cpuMillisPerWrite);
            Spread copied = store.spread(UtilizationTurns.Turn::cleaningPerNew);
            Spread stall = store.spread(UtilizationTurns.Turn::worstStallMillis);
            out.printf(
                    Locale.ROOT,
                    "%-36s %d%%  %8.0f puts/s  over the first %.3f [%.3f .. %.3f] of %d turns"
                            + "  stall %7.1f ms  cleaning/new %5.2f  cpu/put %.4f ms%n",
                    outcome.plan().title(),
                    store.percent(),
                    rate.median(),
                    ratio.median(),
                    ratio.min(),
                    ratio.max(),
                    store.turns().size(),
                    stall.max(),
                    copied.median(),
                    taken.median());
            findings.append(
                    line("utilization-turns")
                            .put("variant", outcome.plan().variant().title())
                            .put("distribution", outcome.plan().distribution().name())
                            .put("object_bytes", (long) outcome.plan().objectBytes())
                            .put("utilization_percent", (long) store.percent())
                            .put("turns", (long) store.turns().size())
                            .put("writes_per_s", rate.median())
                            .put("ratio", ratio.median())
                            .put("ratio_least", ratio.min())
                            .put("ratio_most", ratio.max())
                            .put("cpu_ms_per_write", taken.median())
                            .put("worst_stall_ms", stall.max())
                            .put("cleaning_bytes_per_new_byte", copied.median()));
            store.wrong().forEach(this::complain);
        }
    }

    void add(TableRun.Outcome outcome) {
        out.printf(
                Locale.ROOT,
                "%s  used/live: peak %.3f, at the end %.3f  %8.0f writes/s  stall %7.1f ms"
                        + "  cleaning/new %5.2f  busy %d full %d  %s%n",
                outcome.plan().workload(),
                outcome.peakExpansion(),
                outcome.spaces().expansion(),
                outcome.times().writes() / outcome.times().seconds(),
                outcome.times().worstStallMillis(),
                outcome.written().amplification(WriteCause.CLEANING),
                outcome.times().busy(),
                outcome.times().full(),
                outcome.wrong().isEmpty() ? "ok" : "FAILED");
        JsonLine line =
                line("table-1")
                        .put("workload", outcome.plan().workload().name())
                        .put("live_content_bytes", outcome.plan().liveBytes())
                        .put("peak_used_per_peak_live", outcome.peakExpansion());
        findings.append(measured(line, outcome.times(), outcome.written(), outcome.spaces()));
        outcome.wrong().forEach(each -> complain(outcome.plan().workload() + ": " + each));
    }

    private static JsonLine measured(
            JsonLine line, Stopwatch.Times times, WrittenBytes written, Spaces spaces) {
        line.put("seconds", times.seconds())
                .put("writes", times.writes())
                .put("writes_per_s", times.writes() / times.seconds())
                .put("p50_ms", times.micros(50) / 1e3)
                .put("p99_ms", times.micros(99) / 1e3)
                .put("p999_ms", times.micros(99.9) / 1e3)
                .put("worst_stall_ms", times.worstStallMillis())
                .put("refused_busy", times.busy())
                .put("refused_full", times.full());
        line.put("forces", written.forces());
        for (WriteCause cause : WriteCause.values()) {
            line.put("bytes_" + cause.name().toLowerCase(Locale.ROOT), written.of(cause));
        }
        return line.put("cleaning_bytes_per_new_byte", written.amplification(WriteCause.CLEANING))
                .put("log_bytes_per_new_byte", written.amplification())
                .put("live_bytes", spaces.live())
                .put("dead_bytes", spaces.dead())
                .put("tombstone_bytes", spaces.tombstones())
                .put("hole_bytes", spaces.holes())
                .put("used_bytes", spaces.used())
                .put("used_per_live", spaces.expansion());
    }
}
