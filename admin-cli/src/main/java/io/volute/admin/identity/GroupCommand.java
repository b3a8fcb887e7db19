package io.volute.admin.identity;

import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.IdentityApi.Group;
import io.volute.adminapi.IdentityApi.MemberRequest;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.Routes;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Groups of users. */
@Command(
        name = "group",
        mixinStandardHelpOptions = true,
        description = "Lists, makes and removes groups of users, and changes their members.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class GroupCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute group list", does = "List the groups.")
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the groups.")
    Integer list() throws InterruptedException {
        Table<Group> table =
                new Table<>(
                        Group.class,
                        new Column<>("NAME", Group::name),
                        Column.time("CREATED", group -> group.created()),
                        new Column<>("MEMBERS", group -> IdentityAnswers.names(group.members())),
                        new Column<>("POLICIES", IdentityAnswers::policies));
        return IdentityAnswers.list(server, Routes.LIST_GROUPS, "groups", table);
    }

    @Example(value = "volute group add editors", does = "Make a group.")
    @Command(name = "add", mixinStandardHelpOptions = true, description = "Makes a group.")
    Integer add(@Parameters(paramLabel = "NAME", description = "Name of the group.") String name)
            throws InterruptedException {
        return IdentityAnswers.ask(
                server, Routes.CREATE_GROUP, new Name(name), "made group " + name);
    }

    @Example(value = "volute group remove editors", does = "Remove a group.")
    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a group.")
    Integer remove(
            @Parameters(paramLabel = "NAME", description = "Name of the group.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return IdentityAnswers.remove(
                server,
                confirmation,
                client -> loss(IdentityAnswers.group(client, name)),
                Routes.DELETE_GROUP,
                new Name(name),
                "removed group " + name);
    }

    private static String loss(Group group) {
        List<String> members = group.members();
        return "Group "
                + group.name()
                + " has "
                + (members.isEmpty()
                        ? "no members"
                        : AnswerFormat.count(members.size(), "member")
                                + " ("
                                + Confirmation.names(members)
                                + ")")
                + " and "
                + IdentityAnswers.policyWords(group)
                + ". Remove it?";
    }

    @Example(value = "volute group join editors carol", does = "Add carol to group editors.")
    @Command(
            name = "join",
            mixinStandardHelpOptions = true,
            description = "Adds a user to a group.")
    Integer join(
            @Parameters(paramLabel = "GROUP", description = "The group.") String group,
            @Parameters(paramLabel = "USER", description = "The user who joins it.") String user)
            throws InterruptedException {
        return member(group, user, true, " is in group ");
    }

    @Example(value = "volute group leave editors carol", does = "Take her out again.")
    @Command(
            name = "leave",
            mixinStandardHelpOptions = true,
            description = "Removes a user from a group.")
    Integer leave(
            @Parameters(paramLabel = "GROUP", description = "The group.") String group,
            @Parameters(paramLabel = "USER", description = "The user who leaves it.") String user)
            throws InterruptedException {
        return member(group, user, false, " is not in group ");
    }

    private Integer member(String group, String user, boolean in, String done)
            throws InterruptedException {
        return IdentityAnswers.ask(
                server, Routes.SET_MEMBER, new MemberRequest(group, user, in), user + done + group);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
