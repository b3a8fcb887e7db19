package io.volute.benchmarks.suite;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Spread;
import io.volute.benchmarks.load.LoadResult;
import io.volute.benchmarks.load.LoadRun;
import io.volute.benchmarks.load.Rounds;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Two servers of this build with different settings, measured in turns: what the settings cost. */
final class SettingsComparison {
    private final SuiteOptions options;
    private final SuiteResults results;

    private SettingsComparison(SuiteOptions options, SuiteResults results) {
        this.options = options;
        this.results = results;
    }

    /**
     * Starts both servers and measures the mixes.
     *
     * @param compared settings of the second
     */
    static void measure(SuiteOptions options, Map<String, String> compared, SuiteResults results)
            throws IOException, InterruptedException {
        SettingsComparison comparison = new SettingsComparison(options, results);
        try (MeasuredServer first =
                        MeasuredServer.start("A", options.settings(), options.directory());
                MeasuredServer second = MeasuredServer.start("B", compared, options.directory())) {
            results.out().println("A: " + SuiteOptions.text(options.settings()));
            results.out().println("B: " + SuiteOptions.text(compared));
            for (Mix mix : options.mixes()) {
                List<String> arguments = mix.arguments(options.load());
                comparison.measure(
                        List.of(first, second),
                        List.of(
                                Step.closed(mix, arguments, options.settings()),
                                Step.closed(mix, arguments, compared)));
            }
        }
    }

    private void measure(List<MeasuredServer> servers, List<Step> steps)
            throws IOException, InterruptedException {
        Step first = steps.getFirst();
        results.out().println(first.title() + ": " + first.workload().describe());
        List<LoadRun> runs =
                servers.stream()
                        .map(
                                server ->
                                        new LoadRun(
                                                server.target(),
                                                first.workload(),
                                                results.session()))
                        .toList();
        for (LoadRun run : runs) {
            results.out().println("not counted: " + run.run().text());
        }
        Rounds rounds =
                Rounds.run(
                        runs,
                        options.load().runs(),
                        results.out(),
                        (server, round, result) -> {
                            JsonLine line = results.line(steps.get(server), round);
                            results.add(first.title() + ", " + result.target(), result, line);
                        });
        JsonLine line = results.line("ratio").put("mix", first.title());
        line.put("settings", SuiteOptions.text(first.settings()));
        line.put("compared_settings", SuiteOptions.text(steps.get(1).settings()));
        first.workload().writeTo(line);
        ratio(rounds, "ops_per_s", LoadResult::operationsPerSecond, line);
        ratio(rounds, "p50_ms", result -> result.latencyMillis(50), line);
        ratio(rounds, "p99_ms", result -> result.latencyMillis(99), line);
        ratio(rounds, "server_cpu_ms_per_op", r -> r.serverCpuMillis().orElse(1), line);
        results.append(line);
    }

    private void ratio(
            Rounds rounds, String name, ToDoubleFunction<LoadResult> figure, JsonLine line) {
        Spread spread = Spread.of(rounds.ratios(figure));
        results.out().printf(Locale.ROOT, "  A/B %-22s %s%n", name, spread.text());
        line.put("ratio_" + name, spread.median());
        line.put("ratio_" + name + "_min", spread.min());
        line.put("ratio_" + name + "_max", spread.max());
    }
}
