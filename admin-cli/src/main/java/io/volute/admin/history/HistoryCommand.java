package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the states of a key; its sub-commands are about what is kept. */
@Command(
        name = "history",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the states of a key that are kept, newest first: also those that S3's clients"
                    + " cannot see.",
            "The commands are about what is kept."
        },
        subcommands = {
            HistoryPolicyCommand.class,
            HistoryUsageCommand.class,
            HistoryPurgeCommand.class
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class HistoryCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

    @Option(
            names = "--wide",
            description = "Show the ids of states and their causal versions as well.")
    private boolean isWide;

    @Parameters(
            arity = "0..1",
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Uri.Converter.class,
            description = "The key; its bucket may be deleted by now.")
    private Optional<S3Uri> key = Optional.empty();

    ServerOptions server() {
        return server;
    }

    @Override
    public Integer call() throws InterruptedException {
        S3Uri asked =
                key.orElseThrow(
                        () ->
                                new ParameterException(
                                        spec.commandLine(), "Missing: s3://BUCKET/KEY"));
        return server.run(
                client -> {
                    list.show(
                            server,
                            Pages.of(
                                    client,
                                    "/_volute/v1/history",
                                    Map.of("bucket", asked.bucket(), "key", asked.key())),
                            "states",
                            table().whenEmpty(() -> nothingKept(client, asked.bucket())));
                    return ServerOptions.OK;
                });
    }

    private Table table() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("BEGAN", state -> AnswerFormat.text(state, "began")));
        columns.add(new Column("ENDED", state -> AnswerFormat.text(state, "ended")));
        columns.add(new Column("STATE", HistoryCommand::kind));
        columns.add(
                new Column(
                        "SIZE", state -> AnswerFormat.bytes(AnswerFormat.number(state, "bytes"))));
        columns.add(new Column("VERSION ID", state -> AnswerFormat.text(state, "versionId")));
        if (isWide) {
            columns.add(new Column("STATE ID", state -> AnswerFormat.text(state, "stateId")));
            columns.add(new Column("CAUSAL", state -> AnswerFormat.text(state, "causalVersion")));
        }
        columns.add(
                new Column("BY", state -> AnswerFormat.actor(AnswerFormat.map(state, "actor"))));
        return new Table(columns.toArray(Column[]::new));
    }

    /** Says why, as far as the caller may know. */
    private static String nothingKept(AdminClient client, String bucket)
            throws IOException, InterruptedException {
        String nothing = "no states: the key never existed, or nothing of it is kept";
        try {
            Map<String, Object> policy = client.get("/_volute/v1/policy", Map.of("bucket", bucket));
            return nothing + " (policy of the bucket: " + AnswerFormat.text(policy, "policy") + ")";
        } catch (AdminClient.RefusedException e) {
            // The bucket is gone, or the caller may not see its policy.
            return nothing;
        }
    }

    private static String kind(Map<String, Object> state) {
        String kind =
                !state.containsKey("ended")
                        ? "current"
                        : AnswerFormat.isTrue(state, "visible") ? "visible" : "hidden";
        return AnswerFormat.isTrue(state, "deleteMarker") ? kind + ", delete marker" : kind;
    }
}
