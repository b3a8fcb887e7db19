package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.EncryptionApi.EncryptionKey;
import io.volute.adminapi.EncryptionApi.EncryptionKeys;
import io.volute.adminapi.EncryptionApi.KeyServiceState;
import io.volute.adminapi.EncryptionApi.RotateRequest;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows and rotates the named keys that wrap data keys. */
@Command(
        name = "encryption",
        mixinStandardHelpOptions = true,
        description = "Shows and rotates the named keys that wrap the data keys of objects.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class EncryptionCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute encryption keys", does = "List the named keys.")
    @Command(
            name = "keys",
            mixinStandardHelpOptions = true,
            description = "Lists the named keys and their newest versions.")
    Integer keys() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<EncryptionKeys> answer = client.ask(Routes.ENCRYPTION_KEYS);
                    if (server.isJson()) {
                        server.print(answer);
                        return ServerOptions.OK;
                    }
                    Table<EncryptionKey> table =
                            new Table<>(
                                    EncryptionKey.class,
                                    new Column<>("NAME", EncryptionKey::name),
                                    Column.number("VERSION", key -> key.version()));
                    table.print(answer.value().keys(), server.tables());
                    if (table.isEmpty()) {
                        server.out().println("no keys: nothing has been encrypted yet");
                    }
                    answer.value().service().ifPresent(this::print);
                    server.out().flush();
                    return ServerOptions.OK;
                });
    }

    private void print(KeyServiceState service) {
        Facts facts =
                new Facts()
                        .with("key service", service.address())
                        .with("has the keys", String.join(", ", service.keys()));
        service.failure().ifPresent(why -> facts.with("it fails", why));
        facts.print(server.tables());
    }

    @Example(
            value = "volute encryption rotate aws/s3",
            does = "Give the default key a new version.")
    @Command(
            name = "rotate",
            mixinStandardHelpOptions = true,
            description = {
                "Adds a version to a named key, which wraps the data keys of new objects. Older"
                        + " objects keep theirs and stay readable.",
                "Copy the keyring to its backup afterwards."
            })
    Integer rotate(
            @Parameters(paramLabel = "NAME", description = "The key; aws/s3 is the default one.")
                    String name)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<EncryptionKey> key =
                            client.ask(Routes.ROTATE_ENCRYPTION_KEY, new RotateRequest(name));
                    return server.done(
                            key, "key " + name + " has version " + key.value().version());
                });
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
