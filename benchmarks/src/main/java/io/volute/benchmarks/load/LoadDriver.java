package io.volute.benchmarks.load;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.Median;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.load.LoadOptions.Target;
import io.volute.benchmarks.load.LoadOptions.Workload;
import io.volute.benchmarks.load.RequestComposer.SharedBody;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Puts a server under load and says what it reached; given two servers it runs them in turn and
 * prints the ratios of each pair. The arguments are listed by running it without any.
 */
@Wiring
public final class LoadDriver {
    private final LoadOptions options;
    private final PrintStream out;
    private final Instant begin;

    private LoadDriver(LoadOptions options, PrintStream out, Instant begin) {
        this.options = options;
        this.out = out;
        this.begin = begin;
    }

    /** Exit status 2 for wrong arguments, 1 when a run had errors. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 0) {
            System.err.print(LoadOptions.USAGE);
            System.exit(2);
        }
        LoadOptions options = CommandLine.read(arguments, LoadOptions.USAGE, LoadOptions::parse);
        long errors = new LoadDriver(options, System.out, Ticks.wallClock()).run();
        System.exit(errors == 0 ? 0 : 1);
    }

    private long run() throws IOException, InterruptedException {
        Workload workload = options.workload();
        byte[] content = new byte[workload.objectBytes()];
        new SplittableRandom(1).nextBytes(content);
        SharedBody body = SharedBody.of(content, workload.payload());
        String session = "s" + begin.toEpochMilli();
        List<LoadRun> targets = new ArrayList<>();
        for (Target target : options.targets()) {
            targets.add(new LoadRun(target, workload, body, session));
        }
        out.println(describe(workload));
        List<List<LoadResult>> rounds = new ArrayList<>();
        long errors = 0;
        for (int round = 0; round < options.runs(); round++) {
            List<LoadResult> results = new ArrayList<>();
            for (LoadRun target : targets) {
                LoadResult result = target.run();
                out.println(result.text());
                save(result, round);
                errors += result.counts().errors();
                results.add(result);
            }
            rounds.add(results);
            if (results.size() == 2) {
                out.println("  " + ratios(results.get(0), results.get(1)));
            }
        }
        for (LoadRun target : targets) {
            target.cleanUp();
        }
        summarise(rounds);
        return errors;
    }

    private void summarise(List<List<LoadResult>> rounds) {
        for (int i = 0; i < options.targets().size(); i++) {
            int target = i;
            out.printf(
                    Locale.ROOT,
                    "median %-8s %.1f ops/s, p99 %.2f ms, server CPU %.3f ms/op%n",
                    options.targets().get(i).name(),
                    median(rounds, r -> r.get(target).operationsPerSecond()),
                    median(rounds, r -> r.get(target).latencyMillis(99)),
                    median(rounds, r -> r.get(target).serverCpuMillis().orElse(Double.NaN)));
        }
        if (options.targets().size() == 2) {
            out.printf(
                    Locale.ROOT,
                    "median ratio %s/%s %.2f%n",
                    options.targets().get(0).name(),
                    options.targets().get(1).name(),
                    median(
                            rounds,
                            r -> r.get(0).operationsPerSecond() / r.get(1).operationsPerSecond()));
        }
    }

    /** One figure of a round. */
    private interface Figure {
        double of(List<LoadResult> round);
    }

    private static double median(List<List<LoadResult>> rounds, Figure figure) {
        return Median.of(rounds.stream().mapToDouble(figure::of));
    }

    private static String ratios(LoadResult first, LoadResult second) {
        String text =
                String.format(
                        Locale.ROOT,
                        "%s/%s: ops/s %.2f, p50 %.2f, p99 %.2f",
                        first.target(),
                        second.target(),
                        first.operationsPerSecond() / second.operationsPerSecond(),
                        first.latencyMillis(50) / second.latencyMillis(50),
                        first.latencyMillis(99) / second.latencyMillis(99));
        if (first.serverCpuMillis().isEmpty() || second.serverCpuMillis().isEmpty()) {
            return text;
        }
        return text
                + String.format(
                        Locale.ROOT,
                        ", server CPU/op %.2f",
                        first.serverCpuMillis().getAsDouble()
                                / second.serverCpuMillis().getAsDouble());
    }

    private static String describe(Workload workload) {
        return String.format(
                Locale.ROOT,
                "%s of %d bytes, %d connections, %s, %.0f s after %.0f s warm-up, payload %s,"
                        + " versioning %s",
                workload.operation(),
                workload.objectBytes(),
                workload.connections(),
                workload.rate().isPresent()
                        ? "at " + workload.rate().getAsDouble() + " ops/s"
                        : "closed loop",
                workload.seconds(),
                workload.warmUpSeconds(),
                workload.payload(),
                workload.versioning());
    }

    private void save(LoadResult result, int round) throws IOException {
        if (options.resultFile().isEmpty()) {
            return;
        }
        Workload workload = options.workload();
        JsonLine line = new JsonLine();
        line.put("begin", begin.toString()).put("commit", options.commit());
        line.put("machine", Machine.describe()).put("round", round);
        line.put("op", workload.operation().toString()).put("size", workload.objectBytes());
        line.put("connections", workload.connections()).put("objects", workload.objects());
        line.put("prefixes", workload.prefixes()).put("batch", workload.batch());
        line.put("get_percent", workload.getPercent()).put("rate", workload.rate().orElse(0));
        line.put("warm_up_s", workload.warmUpSeconds());
        line.put("payload", workload.payload().toString());
        line.put("versioning", workload.versioning().toString());
        result.writeTo(line);
        new ResultFile(Path.of(options.resultFile())).append(line);
    }
}
