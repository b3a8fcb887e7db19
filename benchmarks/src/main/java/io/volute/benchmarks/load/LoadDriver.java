package io.volute.benchmarks.load;

import io.volute.benchmarks.CommandLines;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.Wiring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Puts a server under load and reports the results. Given two servers, it runs them in turn, so
 * that slow changes of the machine affect both. Exit status 2 for wrong arguments, 1 when a run had
 * errors.
 */
@Command(
        name = "run-load.sh",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Puts a server under load. With --b-endpoint runs two servers in turn.")
@Wiring
public final class LoadDriver implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private final Target first = new Target();
    private final Target second = new Target();
    @Mixin private final Workload workload = new Workload();

    @Option(names = "--runs", description = "Runs of each server.")
    private int runs = 1;

    @Option(names = "--result", paramLabel = "FILE", description = "Gets a JSON line a run.")
    private Optional<Path> resultFile = Optional.empty();

    @Option(names = "--commit", description = "Commit of the server, for the result lines.")
    private String commit = "unknown";

    private LoadDriver() {
        first.endpoints = List.of("http://127.0.0.1:9000");
        second.name = "B";
    }

    public static void main(String[] arguments) {
        System.exit(commandLine(new LoadDriver()).execute(arguments));
    }

    private static CommandLine commandLine(LoadDriver driver) {
        CommandLine command = CommandLines.of(driver);
        for (OptionSpec each : CommandSpec.forAnnotatedObject(driver.second).options()) {
            String name = each.longestName().replace("--", "--b-");
            command.getCommandSpec().addOption(OptionSpec.builder(each).names(name).build());
        }
        return command;
    }

    /** Reads arguments without running anything. */
    static LoadDriver parse(String... arguments) {
        LoadDriver driver = new LoadDriver();
        commandLine(driver).parseArgs(arguments);
        driver.workload.complete();
        return driver;
    }

    Target target() {
        return first;
    }

    Workload workload() {
        return workload;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try {
            workload.complete();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        String begin = Ticks.wallClock().toString();
        String session = "s" + Ticks.wallClock().toEpochMilli();
        List<LoadRun> servers = new ArrayList<>(List.of(new LoadRun(first, workload, session)));
        if (!second.endpoints.isEmpty()) {
            servers.add(new LoadRun(second, workload, session));
        }
        System.out.println(workload.describe());
        long errors = 0;
        for (int round = 0; round < runs; round++) {
            for (LoadRun server : servers) {
                LoadResult result = server.run();
                System.out.println(result.text());
                errors += result.counts().errors;
                if (resultFile.isPresent()) {
                    JsonLine line = new JsonLine().put("begin", begin).put("commit", commit);
                    line.put("machine", Machine.describe()).put("round", round);
                    workload.writeTo(line);
                    result.writeTo(line);
                    line.appendTo(resultFile.get());
                }
            }
        }
        for (LoadRun server : servers) {
            server.cleanUp();
        }
        return errors == 0 ? 0 : 1;
    }
}
