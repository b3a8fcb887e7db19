package io.volute.admin.identity;

import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.IdentityApi.AttachRequest;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.Policy;
import io.volute.adminapi.IdentityApi.PutPolicyRequest;
import io.volute.adminapi.Routes;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Policies of users, groups and roles. */
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        description = {
            "Lists, shows, sets and removes policies, and attaches them.",
            "Policies of buckets are set with: aws s3api put-bucket-policy"
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class PolicyCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    /** The identity that a policy is attached to. */
    static final class Holder {
        @Option(names = "--user", paramLabel = "NAME", description = "A user.")
        private String user;

        @Option(names = "--group", paramLabel = "NAME", description = "A group.")
        private String group;

        @Option(names = "--role", paramLabel = "NAME", description = "A role.")
        private String role;

        private String kind() {
            return user != null ? "user" : group != null ? "group" : "role";
        }

        private String name() {
            return user != null ? user : group != null ? group : role;
        }
    }

    @Example(value = "volute policy list", does = "List the policies.")
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the policies.")
    Integer list() throws InterruptedException {
        Table<Policy> table =
                new Table<>(
                        Policy.class,
                        new Column<>("NAME", Policy::name),
                        Column.once(
                                new Column<>(
                                        "KIND", policy -> policy.builtIn() ? "built in" : "own")),
                        Column.time("CHANGED", policy -> policy.changed()));
        return IdentityAnswers.list(server, Routes.LIST_POLICIES, "policies", table);
    }

    @Example(value = "volute policy show readwrite", does = "Print the document of a policy.")
    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints the document of a policy.")
    Integer show(@Parameters(paramLabel = "NAME", description = "Name of the policy.") String name)
            throws InterruptedException {
        return server.run(
                client -> {
                    Policy found = IdentityAnswers.policy(client, name);
                    return server.done(found, found.document());
                });
    }

    @Example(
            value = "volute policy put photos-only photos-only.json",
            does = "Add a policy, or replace it.")
    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description =
                    "Adds a policy, or replaces it for all users, groups and roles that have it.")
    Integer put(
            @Parameters(paramLabel = "NAME", description = "Name of the policy.") String name,
            @Parameters(paramLabel = "FILE", description = "Its document, JSON.") Path file)
            throws InterruptedException {
        return server.run(
                client ->
                        server.done(
                                client.ask(
                                        Routes.PUT_POLICY,
                                        new PutPolicyRequest(name, IdentityAnswers.read(file))),
                                "policy " + name + " is set"));
    }

    @Example(value = "volute policy remove photos-only", does = "Remove an unused policy.")
    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a policy that no user, group or role has.")
    Integer remove(
            @Parameters(paramLabel = "NAME", description = "Name of the policy.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return IdentityAnswers.remove(
                server,
                confirmation,
                client ->
                        "Policy "
                                + IdentityAnswers.policy(client, name).name()
                                + " goes with its document ('volute policy show "
                                + name
                                + "' prints it). Remove it?",
                Routes.DELETE_POLICY,
                new Name(name),
                "removed policy " + name);
    }

    @Example(
            value = "volute policy attach photos-only --user carol",
            does = "Give a user the policy.")
    @Command(
            name = "attach",
            mixinStandardHelpOptions = true,
            description = "Gives a policy to a user, group or role.")
    Integer attach(
            @Parameters(paramLabel = "POLICY", description = "The policy.") String policy,
            @ArgGroup(multiplicity = "1") Holder holder)
            throws InterruptedException {
        return set(policy, holder, true, " has policy ");
    }

    @Example(
            value = "volute policy detach photos-only --user carol",
            does = "Take it from the user.")
    @Command(
            name = "detach",
            mixinStandardHelpOptions = true,
            description = "Takes a policy from a user, group or role.")
    Integer detach(
            @Parameters(paramLabel = "POLICY", description = "The policy.") String policy,
            @ArgGroup(multiplicity = "1") Holder holder)
            throws InterruptedException {
        return set(policy, holder, false, " has no policy ");
    }

    private Integer set(String policy, Holder holder, boolean attached, String done)
            throws InterruptedException {
        return IdentityAnswers.ask(
                server,
                Routes.ATTACH_POLICY,
                new AttachRequest(
                        policy,
                        Optional.ofNullable(holder.user),
                        Optional.ofNullable(holder.group),
                        Optional.ofNullable(holder.role),
                        attached),
                holder.kind() + " " + holder.name() + done + policy);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
