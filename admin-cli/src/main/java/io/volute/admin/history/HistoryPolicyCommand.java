package io.volute.admin.history;

import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.adminapi.HistoryApi.Policy;
import io.volute.adminapi.HistoryApi.PolicyRequest;
import io.volute.adminapi.HistoryApi.SetPolicyRequest;
import io.volute.adminapi.Routes;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows or sets which states of a bucket are kept. */
@Example(value = "volute history policy photos", does = "Show the history policy of a bucket.")
@Example(
        value = "volute history policy photos every-write",
        does = "Keep every overwritten and deleted state.")
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which overwritten and deleted states of a bucket are kept, or decides it.",
            "States that are already kept stay."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown or set",
            "1:the server cannot be reached or refused",
            "2:wrong usage"
        })
final class HistoryPolicyCommand implements Callable<Integer> {
    @ParentCommand private HistoryCommand history;

    @Parameters(
            index = "0",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket.")
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
            paramLabel = "RESOLUTION",
            description =
                    "The past is exact at multiples of this time: 500ms, 1s, 1m, 1h; 0: the policy"
                            + " decides alone; inherit: as the settings say.")
    private Optional<String> resolution = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        boolean isQuestion = policy.isEmpty() && resolution.isEmpty();
        return server.run(
                client -> {
                    Answer<Policy> answer =
                            isQuestion
                                    ? client.ask(Routes.POLICY, new PolicyRequest(bucket))
                                    : client.ask(
                                            Routes.SET_POLICY,
                                            new SetPolicyRequest(bucket, policy, resolution));
                    return server.done(answer, shown(answer.value()));
                });
    }

    private static String shown(Policy answer) {
        long millis = answer.resolutionMillis();
        return answer.policy() + (millis == 0 ? "" : ", exact every " + exactEvery(millis));
    }

    private static String exactEvery(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }
}
