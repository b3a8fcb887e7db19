package io.volute.admin.history;

import io.volute.admin.client.ListOptions;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows who acted. */
@Command(
        name = "actors",
        mixinStandardHelpOptions = true,
        description = "Shows who acted, the latest first. All conditions given must hold.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class ActorsCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

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

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Of this name: \"session NAME\", address and program, or as the client called"
                            + " itself.")
    private Optional<String> name = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        Map<String, String> asked = new LinkedHashMap<>();
        accessKey.ifPresent(key -> asked.put("accessKey", key));
        user.ifPresent(each -> asked.put("user", each));
        name.ifPresent(text -> asked.put("name", text));
        Table table =
                new Table(
                        new Column("ID", actor -> AnswerFormat.text(actor, "id")),
                        new Column("BEGAN", actor -> AnswerFormat.text(actor, "began")),
                        new Column("ACCESS KEY", actor -> AnswerFormat.text(actor, "accessKey")),
                        new Column("PRINCIPAL", actor -> AnswerFormat.text(actor, "principal")),
                        new Column(
                                "BEGUN BY", actor -> AnswerFormat.text(actor, "parentAccessKey")),
                        new Column("USER", ActorsCommand::user),
                        new Column("NAME", AnswerFormat::client));
        return list.show(server, "/_volute/v1/actors", asked, "actors", table);
    }

    private static String user(Map<String, Object> actor) {
        String parent = AnswerFormat.text(actor, "parentPrincipal");
        return parent.isEmpty() ? AnswerFormat.text(actor, "principal") : parent;
    }
}
