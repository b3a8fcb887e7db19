package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import java.io.IOException;
import java.util.List;
import java.util.Map;
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
    private static final String PATH = "/_volute/v1/check";
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
                    Map<String, Object> begun =
                            client.post(PATH, Map.of("bytesPerSecond", rate << 20));
                    return end(follow(client, begun));
                });
    }

    private Map<String, Object> follow(AdminClient client, Map<String, Object> begun)
            throws IOException, InterruptedException {
        Map<String, Object> check = begun;
        Progress progress = server.progress("checking", false);
        while ("running".equals(check.get("state"))) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            Object cube = begun.get("cube");
            List<Map<String, Object>> all = AnswerFormat.maps(client.get(PATH), "checks");
            check =
                    all.stream()
                            .filter(each -> each.get("cube").equals(cube))
                            .findFirst()
                            .orElseThrow(() -> new IOException("the server forgot the check"));
            progress.at(
                    AnswerFormat.number(check, "segments"),
                    AnswerFormat.number(check, "segmentsTotal"),
                    figures(check));
        }
        progress.end();
        return check;
    }

    private static String figures(Map<String, Object> check) {
        return AnswerFormat.number(check, "segments")
                + " of "
                + AnswerFormat.number(check, "segmentsTotal")
                + " segments, "
                + AnswerFormat.number(check, "records")
                + " records, "
                + AnswerFormat.number(check, "blobs")
                + " blobs, "
                + AnswerFormat.bytes(AnswerFormat.number(check, "bytesRead"))
                + " read";
    }

    private int end(Map<String, Object> check) throws IOException {
        List<Map<String, Object>> problems = AnswerFormat.maps(check, "problems");
        if (server.isJson()) {
            server.print(check);
        } else {
            problems.forEach(
                    each ->
                            server.out()
                                    .println(
                                            each.get("kind")
                                                    + ": "
                                                    + each.get("where")
                                                    + ": "
                                                    + each.get("what")));
            server.out()
                    .println(
                            check.get("state")
                                    + ": "
                                    + figures(check)
                                    + ", "
                                    + (problems.size() + AnswerFormat.number(check, "moreProblems"))
                                    + " problems");
            server.out().flush();
        }
        if (!"finished".equals(check.get("state"))) {
            throw new IOException(
                    "the check did not finish: "
                            + check.getOrDefault("failure", "the server is stopping"));
        }
        return problems.isEmpty() ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
    }
}
