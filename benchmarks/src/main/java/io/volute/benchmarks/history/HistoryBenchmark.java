package io.volute.benchmarks.history;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.Wiring;
import java.io.IOException;

/**
 * The experiments of Causality-based Versioning, section 6: what capture costs under each policy,
 * and what can be recovered, in-process or through S3. The arguments are listed by {@code --help}.
 */
@Wiring
public final class HistoryBenchmark {
    private HistoryBenchmark() {}

    /** Exit status 2 for wrong arguments. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (CommandLine.isHelp(arguments, HistoryOptions.USAGE)) {
            return;
        }
        HistoryOptions options =
                CommandLine.read(arguments, HistoryOptions.USAGE, HistoryOptions::parse);
        HistoryResults results = new HistoryResults(options);
        if (options.experiments().contains("interleaved")) {
            new Interleaved(options, results).run();
        }
        if (options.experiments().contains("worm")) {
            new Worm(options, results).run();
        }
        if (options.experiments().contains("overhead")) {
            new Overhead(options, results, Overhead.Mix.SHARED).run();
        }
        if (options.experiments().contains("own")) {
            new Overhead(options, results, Overhead.Mix.OWN).run();
        }
        results.write();
        System.out.println("results: " + options.output());
    }
}
