package io.volute.admin.identity;

import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.IdentityApi.Key;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.ProvisionRequest;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.Routes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Users. */
@Command(
        name = "user",
        mixinStandardHelpOptions = true,
        description =
                "Lists, shows, adds and removes users. A new user may do nothing until a policy"
                        + " allows it.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class UserCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute user list", does = "List the users.")
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the users.",
                "Inline policies, and keys that are disabled, are in brackets."
            })
    Integer list() throws InterruptedException {
        Table<User> table =
                new Table<>(
                        User.class,
                        new Column<>("NAME", User::name),
                        Column.time("CREATED", user -> user.created()),
                        Column.once(
                                new Column<>(
                                        "GROUPS", user -> IdentityAnswers.names(user.groups()))),
                        new Column<>("POLICIES", IdentityAnswers::policies),
                        new Column<>("KEYS", IdentityAnswers::keys));
        return IdentityAnswers.list(server, Routes.LIST_USERS, "users", table);
    }

    @Example(
            value = "volute user show carol",
            does = "Show the groups, policies and keys of a user.")
    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows a user with groups, policies and access keys.")
    Integer show(@Parameters(paramLabel = "NAME", description = "Name of the user.") String name)
            throws InterruptedException {
        return server.run(
                client -> {
                    User user = IdentityAnswers.user(client, name);
                    Facts facts =
                            new Facts()
                                    .with("name", user.name())
                                    .with("created", user.created().toString())
                                    .with("groups", IdentityAnswers.names(user.groups()))
                                    .with("policies", IdentityAnswers.names(user.policies()));
                    user.inline()
                            .forEach(
                                    (policy, document) ->
                                            facts.with("inline", policy + "  " + document));
                    for (Key key : user.keys()) {
                        facts.with(
                                "key",
                                key.accessKey()
                                        + "  "
                                        + KeyCommand.state(key.active())
                                        + ", made "
                                        + key.created());
                    }
                    return server.done(user, facts);
                });
    }

    @Example(
            value = "volute user add carol --policy readwrite --bucket my-bucket",
            does = "Add a user for one bucket, with a key.")
    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description =
                    "Makes a user; with --policy, also an access key, whose secret is shown this"
                            + " once only.")
    Integer add(
            @Parameters(paramLabel = "NAME", description = "Name of the user.") String name,
            @Option(
                            names = "--policy",
                            paramLabel = "POLICY",
                            description =
                                    "Give the user this policy and a key: readonly, readwrite,"
                                            + " writeonly, diagnostics, or one of volute policy"
                                            + " list.")
                    String policy,
            @Option(
                            names = "--bucket",
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "Limit readonly, readwrite or writeonly to this bucket.")
                    String bucket)
            throws InterruptedException {
        if (policy != null) {
            return provision(new ProvisionRequest(name, policy, Optional.ofNullable(bucket)));
        }
        if (bucket != null) {
            throw new ParameterException(
                    spec.commandLine(), "--bucket limits a policy: name one with --policy");
        }
        return IdentityAnswers.ask(
                server,
                Routes.CREATE_USER,
                new Name(name),
                "made user " + name,
                "next: volute key add " + name,
                "      volute policy attach POLICY --user " + name);
    }

    private Integer provision(ProvisionRequest asked) throws InterruptedException {
        return server.run(
                client -> {
                    Answer<NewKey> key = client.ask(Routes.PROVISION_USER, asked);
                    String limit = asked.bucket().map(each -> " on bucket " + each).orElse("");
                    return server.done(
                            key,
                            "made user " + asked.name() + " with " + asked.policy() + limit,
                            IdentityAnswers.accessKey(key.value()),
                            IdentityAnswers.secretKey(key.value()));
                });
    }

    @Example(value = "volute user remove carol", does = "Remove a user and the keys of the user.")
    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a user and all access keys of the user.")
    Integer remove(
            @Parameters(paramLabel = "NAME", description = "Name of the user.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return IdentityAnswers.remove(
                server,
                confirmation,
                client -> loss(IdentityAnswers.user(client, name)),
                Routes.DELETE_USER,
                new Name(name),
                "removed user " + name);
    }

    private static String loss(User user) {
        List<String> keys = user.keys().stream().map(Key::accessKey).toList();
        return "User "
                + user.name()
                + " has "
                + (keys.isEmpty()
                        ? "no keys"
                        : AnswerFormat.count(keys.size(), "key")
                                + " ("
                                + Confirmation.names(keys)
                                + ") that "
                                + (keys.size() == 1 ? "stops" : "stop")
                                + " working at once")
                + (user.groups().isEmpty()
                        ? ""
                        : ", and is in " + Confirmation.names(user.groups()))
                + ". Remove the user?";
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
