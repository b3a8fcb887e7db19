package io.volute.admin.history;

import io.volute.admin.client.LeftOutCubes;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.HistoryApi.Actor;
import io.volute.adminapi.HistoryApi.ActorsRequest;
import io.volute.adminapi.Routes;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows who acted. */
@Example(value = "volute actors --user backup", does = "List the runs of the clients of a user.")
@Command(
        name = "actors",
        mixinStandardHelpOptions = true,
        description = "Lists actors, the latest first. All given conditions must hold.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class ActorsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

    @Option(
            names = "--access-key",
            paramLabel = "KEY",
            description = "Only with this access key, or a session that it began.")
    private Optional<String> accessKey = Optional.empty();

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "Only with an access key of this user, or a session that it began.")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Name: \"session NAME\", address and program, or the name that the client"
                            + " chose.")
    private Optional<String> name = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ActorsRequest asked =
                new ActorsRequest(accessKey, user, name, OptionalLong.empty(), Optional.empty());
        Table<Actor> table =
                new Table<>(
                        Actor.class,
                        Column.whole(Column.number("ID", actor -> actor.id())),
                        Column.time("BEGAN", actor -> actor.began()),
                        Column.whole(Column.once(new Column<>("ACCESS KEY", Actor::accessKey))),
                        Column.once(new Column<>("PRINCIPAL", Actor::principal)),
                        Column.whole(
                                Column.once(
                                        new Column<>(
                                                "BEGUN BY",
                                                actor ->
                                                        AnswerFormat.text(
                                                                actor.parentAccessKey())))),
                        Column.once(
                                new Column<>(
                                        "USER",
                                        actor ->
                                                actor.parentPrincipal().orElse(actor.principal()))),
                        new Column<>("NAME", AnswerFormat::client));
        return server.run(
                client -> {
                    LeftOutCubes source = new LeftOutCubes(Pages.of(client, Routes.ACTORS, asked));
                    list.show(server, source, "actors", table);
                    source.print(spec.commandLine().getErr());
                    return ServerOptions.OK;
                });
    }
}
