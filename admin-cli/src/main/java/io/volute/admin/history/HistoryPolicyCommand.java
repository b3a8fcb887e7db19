package io.volute.admin.history;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows or sets which states of a bucket are kept. */
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which overwritten and deleted states of a bucket are kept, or decides it.",
            "What is kept already stays."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown or set",
            "1:the server cannot be reached or refused",
            "2:wrong usage"
        })
final class HistoryPolicyCommand implements Callable<Integer> {
    private static final String PATH = "/_volute/v1/policy";

    @ParentCommand private HistoryCommand history;

    @Parameters(index = "0", paramLabel = "BUCKET", description = "The bucket.")
    private String bucket = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "POLICY",
            description =
                    "none, open-close, cycle-avoidance, graph-finesse or every-write"
                            + " (docs/reference/admin-api.md).")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--resolution",
            paramLabel = "TIME",
            description =
                    "The past is exact at multiples of this time: 500ms, 1s, 1m, 1h; 0: the policy"
                            + " decides alone; inherit: as the settings say.")
    private Optional<String> resolution = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        Map<String, Object> change = new LinkedHashMap<>();
        policy.ifPresent(text -> change.put("policy", text));
        resolution.ifPresent(text -> change.put("resolution", text));
        return server.run(
                client -> {
                    Map<String, Object> answer;
                    if (change.isEmpty()) {
                        answer = client.get(PATH, Map.of("bucket", bucket));
                    } else {
                        change.put("bucket", bucket);
                        answer = client.put(PATH, change);
                    }
                    return server.done(answer, shown(answer));
                });
    }

    private static String shown(Map<String, Object> answer) {
        long millis = AnswerFormat.number(answer, "resolutionMillis");
        return AnswerFormat.text(answer, "policy")
                + (millis == 0 ? "" : ", exact every " + exactEvery(millis));
    }

    private static String exactEvery(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }
}
