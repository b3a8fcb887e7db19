package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.Spread;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.cleaning.UtilizationSeries.Turns;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The results of a run: prints them as they come, and adds lines to {@code results.jsonl} that name
 * the run. Complaints are counted too.
 */
final class Results {
    private final PrintStream out;
    private final CleaningOptions options;
    private final String machine;
    private final String begun = Ticks.wallClock().toString();
    private final Path file;
    private int complaints;

    /** Creates it when the run begins: the lines contain this time. */
    Results(PrintStream out, CleaningOptions options) throws IOException {
        this.out = out;
        this.options = options;
        this.machine = Machine.describe();
        this.file = Files.createDirectories(options.output).resolve("results.jsonl");
    }

    int complaints() {
        return complaints;
    }

    void complain(String text) {
        complaints++;
        out.println("WRONG: " + text);
        append(line("complaint").put("text", text));
    }

    private JsonLine line(String kind) {
        return new JsonLine()
                .put("kind", kind)
                .put("begun", begun)
                .put("commit", options.commit)
                .put("machine", machine)
                .put("capacity_bytes", options.capacityBytes)
                .put("segment_bytes", options.segmentBytes)
                .put("reserve_segments", options.reserveSegments)
                .put("threads", options.threads)
                .put("seed", options.seed)
                .put("through", options.through.title());
    }

    private JsonLine line(String kind, UtilizationSeries series, int percent) {
        return line(kind)
                .put("variant", series.variant().title())
                .put("distribution", series.distribution().name())
                .put("object_bytes", series.objectBytes())
                .put("utilization_percent", percent);
    }

    private void append(JsonLine line) {
        try {
            line.appendTo(file);
        } catch (IOException e) {
            throw new UncheckedIOException("results cannot be written to " + file, e);
        }
    }

    private void print(
            String title, double rate, double stall, double copied, String more, Object... values) {
        String figures = "%-38s %8.0f writes/s  stall %7.1f ms  cleaning/new %5.2f  ";
        out.printf(Locale.ROOT, figures, title, rate, stall, copied);
        out.printf(Locale.ROOT, more + "%n", values);
    }

    void addPoint(
            UtilizationSeries series, int percent, int objects, Sample sample, Spaces spaces) {
        Stopwatch.Times times = sample.times();
        print(
                series.title() + " " + percent + "%",
                sample.writesPerSecond(),
                times.worstStallMillis(),
                sample.cleaningPerNew(),
                "p50 %.2f p99 %.2f ms  busy %d full %d  cpu/write %.3f ms, clients %.3f",
                times.millis(50),
                times.millis(99),
                times.busy(),
                times.full(),
                sample.storeMillisPerWrite(),
                sample.clientMillisPerWrite());
        JsonLine line = line("utilization", series, percent).put("objects", objects);
        line.put("mb_per_s", sample.writesPerSecond() * series.objectBytes() / 1e6);
        line.put("cpu_ms_per_write", sample.storeMillisPerWrite());
        line.put("client_cpu_ms_per_write", sample.clientMillisPerWrite());
        append(measured(line, times, sample.written(), spaces));
    }

    /**
     * Adds the results of one store.
     *
     * @param first the store to which the others are compared, turn by turn
     */
    void addTurns(UtilizationSeries series, Turns first, Turns store) {
        Spread ratio =
                Spread.of(
                        IntStream.range(0, store.samples().size())
                                .mapToDouble(
                                        i ->
                                                store.samples().get(i).writesPerSecond()
                                                        / first.samples()
                                                                .get(i)
                                                                .writesPerSecond()));
        double rate = spread(store, Sample::writesPerSecond).median();
        double stall = spread(store, sample -> sample.times().worstStallMillis()).max();
        double copied = spread(store, Sample::cleaningPerNew).median();
        double taken = spread(store, Sample::storeMillisPerWrite).median();
        print(
                series.title() + " " + store.percent() + "%",
                rate,
                stall,
                copied,
                "over the first %.3f [%.3f .. %.3f] of %d turns  cpu/write %.4f ms",
                ratio.median(),
                ratio.min(),
                ratio.max(),
                store.samples().size(),
                taken);
        append(
                line("utilization-turns", series, store.percent())
                        .put("turns", store.samples().size())
                        .put("writes_per_s", rate)
                        .put("ratio", ratio.median())
                        .put("ratio_least", ratio.min())
                        .put("ratio_most", ratio.max())
                        .put("cpu_ms_per_write", taken)
                        .put("worst_stall_ms", stall)
                        .put("cleaning_bytes_per_new_byte", copied));
    }

    private static Spread spread(Turns store, ToDoubleFunction<Sample> figure) {
        return Spread.of(store.samples().stream().mapToDouble(figure));
    }

    /**
     * Adds the results of a workload of table 1.
     *
     * @param peakExpansion the most that was used over the most that was live
     */
    void addTable(
            TableWorkload workload,
            long liveBytes,
            Stopwatch.Times times,
            WrittenBytes written,
            Spaces spaces,
            double peakExpansion) {
        print(
                workload.name(),
                times.writes() / times.seconds(),
                times.worstStallMillis(),
                written.amplification(WriteCause.CLEANING),
                "used/live: peak %.3f, at the end %.3f  busy %d full %d",
                peakExpansion,
                spaces.expansion(),
                times.busy(),
                times.full());
        JsonLine line = line("table-1").put("workload", workload.name());
        line.put("live_content_bytes", liveBytes).put("peak_used_per_peak_live", peakExpansion);
        append(measured(line, times, written, spaces));
    }

    private static JsonLine measured(
            JsonLine line, Stopwatch.Times times, WrittenBytes written, Spaces spaces) {
        line.put("seconds", times.seconds())
                .put("writes", times.writes())
                .put("writes_per_s", times.writes() / times.seconds())
                .put("p50_ms", times.millis(50))
                .put("p99_ms", times.millis(99))
                .put("p999_ms", times.millis(99.9))
                .put("worst_stall_ms", times.worstStallMillis())
                .put("refused_busy", times.busy())
                .put("refused_full", times.full())
                .put("forces", written.forces());
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
