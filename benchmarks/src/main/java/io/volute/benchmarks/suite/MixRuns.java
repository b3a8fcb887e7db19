package io.volute.benchmarks.suite;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.load.LoadResult;
import io.volute.benchmarks.load.LoadRun;
import io.volute.benchmarks.load.Rounds;
import java.io.IOException;
import java.util.List;

/** The runs of one mix against one server: in a closed loop, then at shares of what it reached. */
final class MixRuns {
    /** What is added to the line of a run. */
    interface Addition {
        void addTo(JsonLine line, Step step) throws IOException;
    }

    private final SuiteOptions options;
    private final SuiteResults results;
    private final Addition addition;

    MixRuns(SuiteOptions options, SuiteResults results, Addition addition) {
        this.options = options;
        this.results = results;
        this.addition = addition;
    }

    /**
     * Measures a mix.
     *
     * @param closed as fast as it goes
     * @param run of that workload
     * @param arguments of that workload
     * @return the run that was last, for other mixes on the same objects
     */
    LoadRun measure(Step closed, LoadRun run, List<String> arguments)
            throws IOException, InterruptedException {
        double most = measure(closed, run);
        LoadRun last = run;
        if (!closed.mix().isPaced()) {
            return last;
        }
        for (int share : options.shares()) {
            if (most <= 0) {
                results.complain(closed.title() + ": no rate of which " + share + "% could be");
                return last;
            }
            Step open = closed.at(share, most, arguments);
            last = last.then(open.workload());
            measure(open, last);
        }
        return last;
    }

    /** Returns the operations a second in the middle of the runs. */
    private double measure(Step step, LoadRun run) throws IOException, InterruptedException {
        results.out().println(step.title() + ": " + step.workload().describe());
        Rounds rounds =
                Rounds.run(
                        List.of(run),
                        options.load().runs(),
                        results.out(),
                        (server, round, result) -> add(step, round, result));
        return rounds.operationsPerSecond(0);
    }

    private void add(Step step, int round, LoadResult result) throws IOException {
        JsonLine line = results.line(step, round);
        addition.addTo(line, step);
        results.add(step.title(), result, line);
    }
}
