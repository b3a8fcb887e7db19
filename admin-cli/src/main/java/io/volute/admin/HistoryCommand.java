package io.volute.admin;

import io.volute.admin.Table.Column;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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
final class HistoryCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

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
        Table table =
                new Table(
                        new Column("BEGAN", state -> Shown.text(state, "began")),
                        new Column("ENDED", state -> Shown.text(state, "ended")),
                        new Column("STATE", HistoryCommand::kind),
                        new Column("SIZE", state -> Shown.bytes(Shown.number(state, "bytes"))),
                        new Column("VERSION ID", state -> Shown.text(state, "versionId")),
                        new Column("STATE ID", state -> Shown.text(state, "stateId")),
                        new Column("CAUSAL", state -> Shown.text(state, "causalVersion")),
                        new Column("BY", state -> Shown.actor(Shown.map(state, "actor"))));
        return list.show(
                server,
                "/_volute/v1/history",
                Map.of("bucket", asked.bucket(), "key", asked.key()),
                "states",
                table);
    }

    private static String kind(Map<String, Object> state) {
        String kind =
                !state.containsKey("ended")
                        ? "current"
                        : Shown.isTrue(state, "visible") ? "visible" : "hidden";
        return Shown.isTrue(state, "deleteMarker") ? kind + ", delete marker" : kind;
    }
}
