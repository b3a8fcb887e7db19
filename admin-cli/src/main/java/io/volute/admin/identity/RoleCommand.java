package io.volute.admin.identity;

import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.IdentityApi.CreateRoleRequest;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.Role;
import io.volute.adminapi.Routes;
import java.nio.file.Path;
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
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute role list", does = "List the roles.")
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the roles.")
    Integer list() throws InterruptedException {
        Table<Role> table =
                new Table<>(
                        Role.class,
                        new Column<>("NAME", Role::name),
                        Column.time("CREATED", role -> role.created()),
                        new Column<>("POLICIES", IdentityAnswers::policies));
        return IdentityAnswers.list(server, Routes.LIST_ROLES, "roles", table);
    }

    @Example(
            value = "volute role add uploader trust.json",
            does = "Make a role with a trust policy.")
    @Command(name = "add", mixinStandardHelpOptions = true, description = "Makes a role.")
    Integer add(
            @Parameters(paramLabel = "NAME", description = "Name of the role.") String name,
            @Parameters(
                            paramLabel = "FILE",
                            description =
                                    "Its trust policy in JSON: the principals that may assume"
                                            + " it.")
                    Path trust)
            throws InterruptedException {
        return server.run(
                client ->
                        server.done(
                                client.ask(
                                        Routes.CREATE_ROLE,
                                        new CreateRoleRequest(name, IdentityAnswers.read(trust))),
                                "made role " + name));
    }

    @Example(value = "volute role remove uploader", does = "Remove a role.")
    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a role.")
    Integer remove(
            @Parameters(paramLabel = "NAME", description = "Name of the role.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return IdentityAnswers.remove(
                server,
                confirmation,
                client -> loss(IdentityAnswers.role(client, name)),
                Routes.DELETE_ROLE,
                new Name(name),
                "removed role " + name);
    }

    private static String loss(Role role) {
        return "Role "
                + role.name()
                + " goes with its trust policy and "
                + IdentityAnswers.policyWords(role)
                + ", and its sessions stop working at once. Remove it?";
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
