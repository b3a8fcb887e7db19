package io.volute.admin.history;

import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Instants;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.HistoryApi.PurgeRequest;
import io.volute.adminapi.HistoryApi.Purged;
import io.volute.adminapi.Routes;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Removes states for good. */
@OldSpelling(value = "--bucket BUCKET", now = "BUCKET")
@OldSpelling(value = "--before T", now = "--until T")
@Example(
        value = "volute history purge photos --until -90d",
        does = "Remove states that ended 90 days ago or earlier.")
@Command(
        name = "purge",
        mixinStandardHelpOptions = true,
        description = {
            "Removes states of a bucket that ended before an instant, and that S3's clients cannot"
                    + " see. They cannot be brought back.",
            Instants.FORMS
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:removed, or nothing to remove",
            "1:the server cannot be reached or refused, or the confirmation is missing",
            "2:wrong usage"
        })
final class HistoryPurgeCommand implements Callable<Integer> {
    @ParentCommand private HistoryCommand history;

    @Parameters(
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket.")
    private String bucket = "";

    @Option(
            names = "--until",
            required = true,
            paramLabel = "T",
            description = "Remove states that ended before T.")
    private Instant until = Instant.MIN;

    @Mixin private Confirmation confirmation;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        return server.run(
                client -> {
                    confirmation.require(
                            () ->
                                    "The states of "
                                            + AnswerFormat.visible(bucket)
                                            + " that ended before "
                                            + until
                                            + " go, for good. Remove them?");
                    Answer<Purged> answer =
                            client.ask(Routes.PURGE, new PurgeRequest(bucket, until));
                    return server.done(
                            answer,
                            AnswerFormat.count(answer.value().purgedStates(), "state")
                                    + " removed");
                });
    }
}
