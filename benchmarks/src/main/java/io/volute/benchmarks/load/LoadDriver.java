package io.volute.benchmarks.load;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.load.LoadOptions.Target;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts a server under load and reports the results. Given two servers, it runs them in turn and
 * prints the ratios of each pair. Without arguments it prints its usage.
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
        String session = "s" + begin.toEpochMilli();
        List<LoadRun> targets = new ArrayList<>();
        for (Target target : options.targets()) {
            targets.add(new LoadRun(target, options.workload(), session));
        }
        out.println(options.workload().describe());
        Rounds rounds =
                Rounds.run(
                        targets,
                        options.runs(),
                        out,
                        (server, round, result) -> save(result, round));
        for (LoadRun target : targets) {
            target.cleanUp();
        }
        rounds.summarise(out);
        return rounds.errors();
    }

    private void save(LoadResult result, int round) throws IOException {
        if (options.resultFile().isEmpty()) {
            return;
        }
        JsonLine line = new JsonLine();
        line.put("begin", begin.toString()).put("commit", options.commit());
        line.put("machine", Machine.describe()).put("round", round);
        options.workload().writeTo(line);
        result.writeTo(line);
        new ResultFile(Path.of(options.resultFile())).append(line);
    }
}
