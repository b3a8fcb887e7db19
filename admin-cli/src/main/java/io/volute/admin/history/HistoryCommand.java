package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.HistoryApi.PolicyRequest;
import io.volute.adminapi.HistoryApi.State;
import io.volute.adminapi.HistoryApi.StatesRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the states of a key; its sub-commands are about what is kept. */
@Example(
        value = "volute history s3://photos/2026/a.raw",
        does = "Show all states of a key that are kept.")
@Example(value = "volute history s3://photos/2026/a.raw --wide", does = "Show them with their ids.")
@Command(
        name = "history",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the states of a key that are kept, newest first: also those that S3's clients"
                    + " cannot see.",
            "The subcommands control which states are kept."
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
                                    Routes.HISTORY,
                                    new StatesRequest(
                                            asked.bucket(),
                                            asked.key(),
                                            OptionalLong.empty(),
                                            Optional.empty())),
                            "states",
                            table().whenEmpty(() -> nothingKept(client, asked.bucket())));
                    return ServerOptions.OK;
                });
    }

    private Table<State> table() {
        return new Table<>(
                State.class,
                Column.time("BEGAN", State::began),
                Column.fullOnly(Column.timeIfAny("ENDED", State::ended)),
                new Column<>(
                        "STATE",
                        HistoryCommand::kind,
                        state -> kind(state).replace("delete marker", "marker")),
                Column.size("SIZE", State::bytes),
                new Column<>("VERSION ID", State::versionId),
                Column.fullOnly(new Column<>("STATE ID", State::stateId)),
                Column.fullOnly(Column.number("CAUSAL", State::causalVersion)),
                Column.once(
                        new Column<>(
                                "BY",
                                state -> AnswerFormat.actor(state.actor()),
                                state -> state.actor().map(AnswerFormat::briefActor).orElse(""))));
    }

    /** Says why, as far as the caller may know. */
    private static String nothingKept(AdminClient client, String bucket)
            throws IOException, InterruptedException {
        String nothing = "no states: the key never existed, or nothing of it is kept";
        try {
            String policy = client.ask(Routes.POLICY, new PolicyRequest(bucket)).value().policy();
            return nothing + " (policy of the bucket: " + policy + ")";
        } catch (AdminClient.RefusedException e) {
            // The bucket is gone, or the caller may not see its policy.
            return nothing;
        }
    }

    private static String kind(State state) {
        String kind = state.ended().isEmpty() ? "current" : state.visible() ? "visible" : "hidden";
        return state.deleteMarker() ? kind + ", delete marker" : kind;
    }
}
