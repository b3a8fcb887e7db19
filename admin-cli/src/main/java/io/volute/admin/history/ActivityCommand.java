package io.volute.admin.history;

import io.volute.admin.client.Instants;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.TimeOrder;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what was done. */
@Command(
        name = "activity",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what was done, the earliest first. All conditions given must hold.",
            "T is 2026-11-20T14:05:00Z, 20261120t140500z, or how long ago: -30m, -2h, -7d."
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
            description = "By one run of an actor (volute actors).")
    private Optional<Long> actor = Optional.empty();

    @Option(
            names = "--access-key",
            paramLabel = "KEY",
            description = "With this access key, or a session that it began.")
    private Optional<String> accessKey = Optional.empty();

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "With any access key of this user, or a session that it began.")
    private Optional<String> user = Optional.empty();

    @Option(names = "--name", paramLabel = "NAME", description = "By actors of this name.")
    private Optional<String> name = Optional.empty();

    @Option(names = "--since", paramLabel = "T", description = "Not before.")
    private Optional<String> since = Optional.empty();

    @Option(names = "--until", paramLabel = "T", description = "Not after.")
    private Optional<String> until = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        Map<String, String> asked = new LinkedHashMap<>();
        actor.ifPresent(id -> asked.put("actor", id.toString()));
        accessKey.ifPresent(key -> asked.put("accessKey", key));
        user.ifPresent(each -> asked.put("user", each));
        name.ifPresent(text -> asked.put("name", text));
        since.ifPresent(
                text -> asked.put("since", Instants.ofOption(spec, "--since", text).toString()));
        until.ifPresent(
                text -> asked.put("until", Instants.ofOption(spec, "--until", text).toString()));
        Table table =
                new Table(
                        new Column("AT", each -> AnswerFormat.text(each, "at")),
                        new Column("ACTION", each -> AnswerFormat.text(each, "action")),
                        new Column("WHAT", AnswerFormat::place),
                        new Column(
                                "FROM",
                                each -> AnswerFormat.place(AnswerFormat.map(each, "source"))),
                        new Column(
                                "BY", each -> AnswerFormat.actor(AnswerFormat.map(each, "actor"))));
        return server.run(
                client -> {
                    Pages.Source source =
                            new TimeOrder(
                                    Pages.of(client, "/_volute/v1/activity", asked), "activity");
                    list.show(server, source, "activity", table);
                    return ServerOptions.OK;
                });
    }
}
