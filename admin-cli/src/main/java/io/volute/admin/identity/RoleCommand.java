package io.volute.admin.identity;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Roles. */
@Command(
        name = "role",
        mixinStandardHelpOptions = true,
        description = "Lists, makes and removes roles, which others assume by AssumeRole.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class RoleCommand implements Callable<Integer> {
    private static final String PATH = "/_volute/v1/roles";

    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the roles.")
    Integer list() throws InterruptedException {
        Table table =
                new Table(
                        new Column("NAME", role -> AnswerFormat.text(role, "name")),
                        new Column("CREATED", role -> AnswerFormat.text(role, "created")),
                        new Column("POLICIES", IdentityAnswers::policies));
        return IdentityAnswers.list(server, PATH, "roles", table);
    }

    @Command(name = "add", mixinStandardHelpOptions = true, description = "Makes a role.")
    Integer add(
            @Parameters(paramLabel = "NAME", description = "Of the role.") String name,
            @Parameters(
                            paramLabel = "FILE",
                            description = "Its trust policy: who may assume it. JSON.")
                    Path trust)
            throws InterruptedException {
        return server.run(
                client -> {
                    Map<String, Object> answer =
                            client.post(
                                    PATH,
                                    Map.of("name", name, "trust", IdentityAnswers.read(trust)));
                    return server.done(answer, "made role " + name);
                });
    }

    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a role.")
    Integer remove(@Parameters(paramLabel = "NAME", description = "Of the role.") String name)
            throws InterruptedException {
        return IdentityAnswers.post(
                server, PATH + "/remove", Map.of("name", name), "removed role " + name);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
