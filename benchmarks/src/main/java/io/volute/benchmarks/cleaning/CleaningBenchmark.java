package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import java.io.IOException;

/**
 * Measures throughput against utilisation, and the space that the workloads of table 1 need; checks
 * after each that everything reads back and that the accounting is exact. The arguments are listed
 * by {@code --help}.
 */
@Wiring
public final class CleaningBenchmark {
    private final CleaningOptions options;
    private final Results results;

    private CleaningBenchmark(CleaningOptions options, Results results) {
        this.options = options;
        this.results = results;
    }

    /** Exit status 2 for wrong arguments, 1 when something was found wrong. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (CommandLine.isHelp(arguments, CleaningOptions.USAGE)) {
            return;
        }
        CleaningOptions options =
                CommandLine.read(arguments, CleaningOptions.USAGE, CleaningOptions::parse);
        Findings findings = new Findings(System.out, options);
        new CleaningBenchmark(options, new Results(System.out, options, findings)).run();
        System.out.println(findings.complaints() + " complaints; results: " + options.output());
        if (findings.complaints() > 0) {
            System.exit(1);
        }
    }

    private void run() throws IOException, InterruptedException {
        for (TableWorkload workload : options.workloads()) {
            results.add(new TableRun(options.plan(workload), options.directory()).run());
        }
        for (int size : options.sizes()) {
            for (Distribution distribution : options.distributions()) {
                for (Variant variant : options.variants()) {
                    measure(options.plan(variant, distribution, size));
                }
            }
        }
    }

    private void measure(UtilizationSeries.Plan plan) throws InterruptedException {
        if (plan.percents().isEmpty()) {
            return;
        }
        try {
            if (options.turns() > 0) {
                results.add(new UtilizationTurns(plan, options.turns(), options.directory()).run());
            } else {
                new UtilizationSeries(plan, options.directory())
                        .run(results::add, results::complain);
            }
        } catch (IOException e) {
            // A store that cannot be opened or closed must not end the other series.
            results.complain(plan.title() + ": " + e);
        }
    }
}
