package io.volute.admin;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
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
                            + " (docs/admin-api.md).")
    private Optional<String> policy = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        return server.run(
                client -> {
                    Map<String, Object> answer =
                            policy.isPresent()
                                    ? client.put(
                                            PATH, Map.of("bucket", bucket, "policy", policy.get()))
                                    : client.get(PATH, Map.of("bucket", bucket));
                    return server.done(answer, Shown.text(answer, "policy"));
                });
    }
}
