package io.volute.admin.identity;

import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.IdentityApi.CreateKeyRequest;
import io.volute.adminapi.IdentityApi.KeyName;
import io.volute.adminapi.IdentityApi.KeyState;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.Routes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Access keys of users. */
@Command(
        name = "key",
        mixinStandardHelpOptions = true,
        description = "Lists, makes, enables, disables and removes access keys of users.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class KeyCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    /** An access key and its user. */
    private record OwnedKey(String accessKey, String user, boolean active, Instant created) {}

    @Example(value = "volute key list", does = "List the keys of all users.")
    @Example(value = "volute key list carol", does = "List the keys of one user.")
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the access keys of all users, or of one.")
    Integer list(
            @Parameters(
                            paramLabel = "USER",
                            arity = "0..1",
                            description = "The user (default: all users).")
                    String user)
            throws InterruptedException {
        return server.run(
                client -> {
                    List<User> users =
                            user == null
                                    ? client.all(Routes.LIST_USERS)
                                    : List.of(IdentityAnswers.user(client, user));
                    List<OwnedKey> keys = users.stream().flatMap(KeyCommand::owned).toList();
                    if (server.isJson()) {
                        server.print(Map.of("keys", keys));
                        return ServerOptions.OK;
                    }
                    Table<OwnedKey> table =
                            new Table<>(
                                    OwnedKey.class,
                                    Column.whole(new Column<>("ACCESS KEY", OwnedKey::accessKey)),
                                    Column.once(new Column<>("USER", OwnedKey::user)),
                                    new Column<>("STATE", key -> state(key.active())),
                                    Column.time("CREATED", key -> key.created()));
                    table.print(keys, server.tables());
                    return table.isEmpty() ? server.done(Map.of(), "no keys") : ServerOptions.OK;
                });
    }

    private static Stream<OwnedKey> owned(User user) {
        return user.keys().stream()
                .map(
                        key ->
                                new OwnedKey(
                                        key.accessKey(), user.name(), key.active(), key.created()));
    }

    /** Returns whether a key is taken, in a word. */
    static String state(boolean active) {
        return active ? "enabled" : "disabled";
    }

    @Example(value = "volute key add carol", does = "Make a key; its secret is shown once.")
    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Makes an access key. Its secret is shown this once only.")
    Integer add(
            @Parameters(paramLabel = "USER", description = "The user who gets the key.")
                    String user)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<NewKey> key = client.ask(Routes.CREATE_KEY, new CreateKeyRequest(user));
                    return server.done(
                            key,
                            IdentityAnswers.accessKey(key.value()),
                            IdentityAnswers.secretKey(key.value()));
                });
    }

    @Example(value = "volute key enable VUEXAMPLE", does = "Let a disabled key be used again.")
    @Command(
            name = "enable",
            mixinStandardHelpOptions = true,
            description = "Takes a key that was disabled again.")
    Integer enable(@Parameters(paramLabel = "KEY", description = "The access key.") String key)
            throws InterruptedException {
        return set(key, true, "enabled ");
    }

    @Example(value = "volute key disable VUEXAMPLE", does = "Stop a stolen key at once.")
    @Command(
            name = "disable",
            mixinStandardHelpOptions = true,
            description = "Refuses a key, and the sessions that it has begun, from now on.")
    Integer disable(@Parameters(paramLabel = "KEY", description = "The access key.") String key)
            throws InterruptedException {
        return set(key, false, "disabled ");
    }

    private Integer set(String key, boolean active, String done) throws InterruptedException {
        return IdentityAnswers.ask(
                server, Routes.SET_KEY, new KeyState(key, active), done + "key " + key);
    }

    @Example(value = "volute key remove VUEXAMPLE", does = "Remove a key.")
    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a key.")
    Integer remove(
            @Parameters(paramLabel = "KEY", description = "The access key.") String key,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return IdentityAnswers.remove(
                server,
                confirmation,
                client -> loss(IdentityAnswers.owner(client, key), key),
                Routes.DELETE_KEY,
                new KeyName(key),
                "removed key " + key);
    }

    private static String loss(User owner, String key) {
        return "Key "
                + key
                + " of user "
                + owner.name()
                + " and its sessions stop working at once. The user has "
                + AnswerFormat.count(owner.keys().size() - 1L, "other key")
                + ". Remove it? ('volute key disable' can be undone.)";
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
