package io.volute.admin.history;

import io.volute.admin.client.LeftOutCubes;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.TimeOrder;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Instants;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.HistoryApi.Activity;
import io.volute.adminapi.HistoryApi.ActivityRequest;
import io.volute.adminapi.HistoryApi.Place;
import io.volute.adminapi.Routes;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what was done. */
@Example(
        value = "volute activity --access-key VUEXAMPLE --since -24h",
        does = "Show the activity of a key in the last day.")
@Example(
        value = "volute activity --since \"2026-11-20 14:00\" --until \"2026-11-20 15:00\"",
        does = "Show an hour, in local time.")
@Command(
        name = "activity",
        mixinStandardHelpOptions = true,
        description = {
            "Lists reads, writes and other activity, the earliest first. All given conditions must"
                    + " hold.",
            "KEY @N in the output is causal version N of the key; FROM is the source of a copy.",
            Instants.FORMS
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class ActivityCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

    @Option(
            names = "--actor",
            paramLabel = "ID",
            description = "Only by one run of an actor (volute actors).")
    private Optional<Long> actor = Optional.empty();

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

    @Option(names = "--name", paramLabel = "NAME", description = "Only by actors of this name.")
    private Optional<String> name = Optional.empty();

    @Option(names = "--since", paramLabel = "T", description = "At T or later.")
    private Optional<Instant> since = Optional.empty();

    @Option(names = "--until", paramLabel = "T", description = "At T or earlier.")
    private Optional<Instant> until = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ActivityRequest asked =
                new ActivityRequest(
                        actor.map(OptionalLong::of).orElse(OptionalLong.empty()),
                        accessKey,
                        user,
                        name,
                        since,
                        until,
                        OptionalLong.empty(),
                        Optional.empty());
        Table<Activity> table =
                new Table<>(
                        Activity.class,
                        Column.time("AT", each -> each.at()),
                        new Column<>("ACTION", Activity::action),
                        Column.briefOnly(Column.once(new Column<>("BUCKET", Activity::bucket))),
                        new Column<>(
                                "WHAT",
                                each ->
                                        AnswerFormat.place(
                                                new Place(
                                                        each.bucket(),
                                                        each.key(),
                                                        each.causalVersion())),
                                each -> each.key() + " @" + each.causalVersion()),
                        Column.once(
                                new Column<>(
                                        "FROM",
                                        each -> each.source().map(AnswerFormat::place).orElse(""))),
                        Column.once(
                                new Column<>(
                                        "BY",
                                        each -> AnswerFormat.actor(each.actor()),
                                        each -> AnswerFormat.briefActor(each.actor()))));
        return server.run(
                client -> {
                    LeftOutCubes source =
                            new LeftOutCubes(Pages.of(client, Routes.ACTIVITY, asked));
                    list.show(server, new TimeOrder(source, "activity"), "activity", table);
                    source.print(spec.commandLine().getErr());
                    return ServerOptions.OK;
                });
    }
}
