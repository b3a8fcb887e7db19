package io.volute.admin.history;

import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.Instants;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.HistoryApi.PurgeRequest;
import io.volute.adminapi.HistoryApi.Purged;
import io.volute.adminapi.Routes;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Removes states for good. */
@Command(
        name = "purge",
        mixinStandardHelpOptions = true,
        description = {
            "Removes states of a bucket that ended before an instant, and that S3's clients cannot"
                    + " see. They cannot be brought back.",
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:removed, or nothing to remove",
            "1:the server cannot be reached or refused, or nobody confirmed",
            "2:wrong usage"
        })
final class HistoryPurgeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @ParentCommand private HistoryCommand history;

    @Option(names = "--bucket", required = true, paramLabel = "BUCKET", description = "The bucket.")
    private String bucket = "";

    @Option(
            names = "--before",
            required = true,
            paramLabel = "T",
            description =
                    "2026-11-20T14:05:00Z, 20261120t140500z, or how long ago: -30m, -2h, -7d.")
    private String before = "";

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Override
    public Integer call() throws InterruptedException {
        Instant instant = Instants.ofOption(spec, "--before", before);
        ServerOptions server = history.server();
        return server.run(
                client -> {
                    if (!yes) {
                        Confirmation.require(
                                spec,
                                "Remove the states of "
                                        + AnswerFormat.visible(bucket)
                                        + " that ended before "
                                        + instant
                                        + ", for good?");
                    }
                    Answer<Purged> answer =
                            client.ask(Routes.PURGE, new PurgeRequest(bucket, instant));
                    return server.done(
                            answer,
                            AnswerFormat.count(answer.value().purgedStates(), "state")
                                    + " removed");
                });
    }
}
