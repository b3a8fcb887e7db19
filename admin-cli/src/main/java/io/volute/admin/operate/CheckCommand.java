package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.CheckRequest;
import io.volute.adminapi.CheckApi.Found;
import io.volute.adminapi.CheckApi.Problem;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has the server look for whatever is wrong, and follows it. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = {
            "Verifies accounting, references and checksums of everything stored, while the server"
                    + " serves.",
            "The check goes on in the server when this command is ended."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing is wrong",
            "1:the server cannot be reached, refused, or did not finish",
            "2:wrong usage",
            "3:something is wrong"
        })
public final class CheckCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 500;

    @Mixin private ServerOptions server;

    @Option(
            names = "--rate",
            paramLabel = "MIB",
            defaultValue = "128",
            description = "MiB read in a second, at most (default: ${DEFAULT-VALUE}).")
    private long rate;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    CheckRequest asked =
                            new CheckRequest(Optional.empty(), OptionalLong.of(rate << 20));
                    return end(follow(client, client.ask(Routes.START_CHECK, asked).value()));
                });
    }

    private Check follow(AdminClient client, Check begun) throws IOException, InterruptedException {
        Check check = begun;
        Progress progress = server.progress("checking", false);
        while (check.run().isRunning()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            check =
                    client.ask(Routes.CHECK).value().checks().stream()
                            .filter(each -> each.cube().equals(begun.cube()))
                            .filter(each -> each.run().id().isPresent())
                            .findFirst()
                            .orElseThrow(() -> new IOException("the server forgot the check"));
            progress.at(check.found().segments(), check.found().segmentsTotal(), figures(check));
        }
        progress.end();
        return check;
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

    private int end(Check check) throws IOException {
        List<Problem> problems = check.found().problems();
        if (server.isJson()) {
            server.print(check);
        } else {
            problems.forEach(
                    each ->
                            server.out()
                                    .println(
                                            each.kind()
                                                    + ": "
                                                    + each.where()
                                                    + ": "
                                                    + each.what()));
            server.out()
                    .println(
                            check.run().state()
                                    + ": "
                                    + figures(check)
                                    + ", "
                                    + AnswerFormat.count(
                                            problems.size() + check.found().moreProblems(),
                                            "problem"));
            server.out().flush();
        }
        if (!check.run().isFinished()) {
            throw new IOException(
                    "the check did not finish: "
                            + check.run().failure().orElse("the server is stopping"));
        }
        return problems.isEmpty() ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
    }
}
