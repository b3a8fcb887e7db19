package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.cleaning.UtilizationSeries.Point;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints results as they come, and writes them to the output directory. */
final class Results {
    private final PrintStream out;
    private final Path directory;
    private final CleaningOptions options;
    private final String machine;
    private final String begun;
    private final List<Point> points = new ArrayList<>();
    private int complaints;

    /**
     * @param begun when the run began, for the result lines
     */
    Results(PrintStream out, CleaningOptions options, String machine, String begun)
            throws IOException {
        this.out = out;
        this.directory = options.output();
        this.options = options;
        this.machine = machine;
        this.begun = begun;
        Files.createDirectories(directory);
    }

    int complaints() {
        return complaints;
    }

    void complain(String text) {
        complaints++;
        out.println("WRONG: " + text);
        append(line("complaint").put("text", text));
    }

    void add(Point point) {
        points.add(point);
        out.printf(
                Locale.ROOT,
                "%-28s %d%%  %7.1f MB/s %8.0f puts/s  p50 %6.2f p99 %7.2f stall %7.1f ms"
                        + "  cleaning/new %5.2f  written/new %5.2f  busy %d full %d%n",
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
                point.times().full());
        JsonLine line =
                line("utilization")
                        .put("variant", point.plan().variant().title())
                        .put("distribution", point.plan().distribution().name())
                        .put("object_bytes", (long) point.plan().objectBytes())
                        .put("utilization_percent", (long) point.percent())
                        .put("objects", (long) point.objects())
                        .put("mb_per_s", point.megabytesPerSecond());
        append(measured(line, point.times(), point.written(), point.spaces()));
        point.wrong().forEach(this::complain);
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
        append(measured(line, outcome.times(), outcome.written(), outcome.spaces()));
        outcome.wrong().forEach(each -> complain(outcome.plan().workload() + ": " + each));
    }

    private JsonLine line(String kind) {
        return new JsonLine()
                .put("kind", kind)
                .put("begun", begun)
                .put("commit", options.commit())
                .put("machine", machine)
                .put("capacity_bytes", options.capacityBytes())
                .put("segment_bytes", (long) options.segmentBytes())
                .put("reserve_segments", (long) options.reserveSegments())
                .put("threads", (long) options.threads())
                .put("seed", options.seed());
    }

    private static JsonLine measured(
            JsonLine line, Stopwatch.Times times, Written written, Spaces spaces) {
        line.put("seconds", times.seconds())
                .put("writes", times.writes())
                .put("writes_per_s", times.writes() / times.seconds())
                .put("p50_ms", times.micros(50) / 1e3)
                .put("p99_ms", times.micros(99) / 1e3)
                .put("p999_ms", times.micros(99.9) / 1e3)
                .put("worst_stall_ms", times.worstStallMillis())
                .put("refused_busy", times.busy())
                .put("refused_full", times.full())
                .put("forces", written.forces());
        for (WriteCause cause : WriteCause.values()) {
            line.put("bytes_" + cause.name().toLowerCase(Locale.ROOT), written.bytes().get(cause));
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

    private void append(JsonLine line) {
        write("results.jsonl", line + "\n", StandardOpenOption.APPEND);
    }

    /** Draws what there is. */
    void plot() {
        String svg = new Plot(points, machine + "; commit " + options.commit()).svg();
        write("cleaning.svg", svg, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private void write(String name, String text, StandardOpenOption how) {
        try {
            Files.writeString(
                    directory.resolve(name),
                    text,
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    how);
        } catch (IOException e) {
            throw new UncheckedIOException("results cannot be written to " + directory, e);
        }
    }
}
