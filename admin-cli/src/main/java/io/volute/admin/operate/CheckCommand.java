package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.CheckRequest;
import io.volute.adminapi.CheckApi.Checks;
import io.volute.adminapi.CheckApi.Found;
import io.volute.adminapi.CheckApi.Problem;
import io.volute.adminapi.CubesApi.CubeChoice;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has the server look for whatever is wrong, and follows it. */
@Example(value = "volute check", does = "Verify everything that is stored.")
@Example(
        value = "volute check --rate 32 --cube hot",
        does = "Verify one cube, reading at most 32 MiB/s.")
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = {
            "Verifies accounting, references and checksums of everything stored, while the server"
                    + " serves: one cube after the other.",
            "The check of a cube goes on in the server when this command is ended."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing is wrong",
            "1:the server cannot be reached, refused, or did not finish",
            "2:wrong usage",
            "3:something is wrong"
        })
public final class CheckCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Option(
            names = "--rate",
            paramLabel = "MIB",
            defaultValue = "128",
            description = "MiB read in a second, at most (default: ${DEFAULT-VALUE}).")
    private long rate;

    @Option(names = "--cube", paramLabel = "CUBE", description = "Check this cube alone.")
    private Optional<String> cube = Optional.empty();

    @Option(
            names = "--status",
            description = "Show the progress of the checks, or the findings of the last ones.")
    private boolean isStatus;

    @Mixin private WaitOption wait;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(this::check);
    }

    /** Shows the latest checks, whatever they found. */
    private int status(List<Check> checks) {
        List<Check> begun = checks.stream().filter(each -> each.found() != null).toList();
        if (server.isJson()) {
            server.print(new Checks(checks));
        } else if (begun.isEmpty()) {
            server.out().println("there was no check since the server was started");
            server.out().flush();
        } else {
            begun.forEach(each -> show(each, checks.size() > 1));
        }
        return ServerOptions.OK;
    }

    private WaitOption.Work work() {
        return new WaitOption.Work(server.command("check", "--status"), Optional.empty());
    }

    /** Checks each cube, also behind one that cannot be checked. */
    private int check(AdminClient client) throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        List<Check> cubes = client.ask(Routes.CHECK, new CubeChoice(cube)).value().checks();
        if (isStatus) {
            return status(cubes);
        }
        for (Check each : cubes) {
            CheckRequest asked =
                    new CheckRequest(Optional.of(each.cube()), OptionalLong.of(rate << 20));
            try {
                Check begun = client.ask(Routes.START_CHECK, asked).value();
                checks.add(wait.isAwaited(true) ? follow(client, begun) : begun);
            } catch (IOException e) {
                failures.add(e);
            }
        }
        int result = wait.isAwaited(true) ? end(checks, cubes.size() > 1) : begun(checks);
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return result;
    }

    private int begun(List<Check> checks) {
        return server.done(
                new Checks(checks),
                AnswerFormat.count(checks.size(), "check") + " begun",
                work().advice());
    }

    private Check follow(AdminClient client, Check begun) throws IOException, InterruptedException {
        Progress progress = server.progress("checking " + begun.cube());
        Check last =
                wait.await(
                        work(),
                        begun,
                        each -> each.run().isRunning(),
                        () -> {
                            Check now = again(client, begun);
                            Found found = now.found();
                            progress.at(
                                    found.segments(),
                                    found.segmentsTotal(),
                                    "segment",
                                    found.bytesRead(),
                                    "");
                            return now;
                        });
        progress.end();
        return last;
    }

    private static Check again(AdminClient client, Check begun)
            throws IOException, InterruptedException {
        return client
                .ask(Routes.CHECK, new CubeChoice(Optional.of(begun.cube())))
                .value()
                .checks()
                .stream()
                .filter(each -> each.run().started().equals(begun.run().started()))
                .findFirst()
                .orElseThrow(() -> new IOException("the server forgot the check"));
    }

    private static String figures(Check check) {
        Found found = check.found();
        return found.segments()
                + " of "
                + AnswerFormat.count(found.segmentsTotal(), "segment")
                + ", "
                + AnswerFormat.count(found.records(), "record")
                + ", "
                + AnswerFormat.count(found.blobs(), "blob")
                + ", "
                + AnswerFormat.bytes(found.bytesRead())
                + " read";
    }

    private int end(List<Check> checks, boolean areSeveral) throws IOException {
        if (!server.isJson()) {
            checks.forEach(each -> show(each, areSeveral));
        } else if (areSeveral) {
            server.print(new Checks(checks));
        } else {
            checks.forEach(server::print);
        }
        for (Check each : checks) {
            if (!each.run().isFinished()) {
                throw new IOException(
                        "the check did not finish: "
                                + each.run().failure().orElse("the server is stopping"));
            }
        }
        return checks.stream().allMatch(each -> each.found().problems().isEmpty())
                ? ServerOptions.OK
                : ServerOptions.FOUND_WRONG;
    }

    private void show(Check check, boolean isNamed) {
        Found found = check.found();
        String name = isNamed ? "cube " + check.cube() + ": " : "";
        for (Problem each : found.problems()) {
            server.out()
                    .println(
                            AnswerFormat.visible(
                                    name + each.kind() + ": " + each.where() + ": " + each.what()));
            DamageCommand.show(server.out(), each.concerns(), each.moreConcerns());
        }
        long problems = found.problems().size() + found.moreProblems();
        server.out()
                .println(
                        name
                                + check.run().state()
                                + ": "
                                + figures(check)
                                + ", "
                                + AnswerFormat.count(problems, "problem"));
        server.out().flush();
    }
}
