package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Measures throughput against utilisation, and the space that the workloads of table 1 need; checks
 * after each that everything reads back and that the accounting is exact. Exit status 2 for wrong
 * arguments, 1 when something was found wrong.
 */
@Command(
        name = "run-cleaning.sh",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures cleaning. A server can be measured with two-level alone.")
@Wiring
public final class CleaningBenchmark implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private final CleaningOptions options = new CleaningOptions();

    public static void main(String[] arguments) {
        CleaningBenchmark driver = new CleaningBenchmark();
        System.exit(CleaningOptions.commandLine(driver, arguments).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try {
            options.complete(spec.commandLine().getParseResult());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        Results results = new Results(System.out, options);
        for (TableWorkload workload : options.workloads()) {
            new TableRun(options, workload).run(results);
        }
        for (int size : options.sizes()) {
            for (Distribution distribution : options.distributions()) {
                for (Variant variant : options.variants()) {
                    new UtilizationSeries(options, variant, distribution, size).run(results);
                }
            }
        }
        System.out.println(results.complaints() + " complaints; results: " + options.output);
        return results.complaints() > 0 ? 1 : 0;
    }
}
