package io.volute.benchmarks.suite;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.load.LoadRun;
import java.io.IOException;
import java.util.List;

/**
 * Measures the mixes that people use against a server process of this build, or another S3 server,
 * and writes results and a plot. The arguments are listed by {@code --help}.
 */
@Wiring
public final class Suite {
    private Suite() {}

    /** Exit status 2 for wrong arguments, 1 when something makes the figures doubtful. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (CommandLine.isHelp(arguments, SuiteOptions.USAGE)) {
            return;
        }
        SuiteOptions options = CommandLine.read(arguments, SuiteOptions.USAGE, SuiteOptions::parse);
        SuiteResults results = new SuiteResults(options, System.out);
        run(options, results);
        if (results.complaints() > 0) {
            System.exit(1);
        }
    }

    static void run(SuiteOptions options, SuiteResults results)
            throws IOException, InterruptedException {
        if (options.compared().isPresent()) {
            SettingsComparison.measure(options, options.compared().get(), results);
        } else if (options.cleaned().isPresent()) {
            FullStore.measure(options, options.cleaned().get(), results);
        } else {
            for (Mix mix : options.mixes()) {
                measure(options, mix, results);
            }
        }
        results.end();
    }

    /** Each on a server of its own: what one leaves to clean must not disturb the next. */
    private static void measure(SuiteOptions options, Mix mix, SuiteResults results)
            throws IOException, InterruptedException {
        List<String> arguments = mix.arguments(options.load());
        Step closed = Step.closed(mix, arguments, options.settings());
        try (MeasuredServer server = server(options)) {
            LoadRun run = new LoadRun(server.target(), closed.workload(), results.session());
            new MixRuns(options, results, (line, step) -> {}).measure(closed, run, arguments);
        }
    }

    private static MeasuredServer server(SuiteOptions options)
            throws IOException, InterruptedException {
        return options.endpoint().isPresent()
                ? MeasuredServer.running(options.endpoint().get())
                : MeasuredServer.start("volute", options.settings(), options.directory());
    }
}
