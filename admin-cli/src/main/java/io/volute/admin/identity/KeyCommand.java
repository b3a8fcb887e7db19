package io.volute.admin.identity;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.adminapi.IdentityApi.CreateKeyRequest;
import io.volute.adminapi.IdentityApi.KeyName;
import io.volute.adminapi.IdentityApi.KeyState;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
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
        description = "Makes, enables, disables and removes access keys of users.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class KeyCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Makes an access key. Its secret is shown this once only.")
    Integer add(@Parameters(paramLabel = "USER", description = "Whose it is.") String user)
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

    @Command(
            name = "enable",
            mixinStandardHelpOptions = true,
            description = "Takes a key that was disabled again.")
    Integer enable(@Parameters(paramLabel = "KEY", description = "The access key.") String key)
            throws InterruptedException {
        return set(key, true, "enabled ");
    }

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

    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a key.")
    Integer remove(@Parameters(paramLabel = "KEY", description = "The access key.") String key)
            throws InterruptedException {
        return IdentityAnswers.ask(
                server, Routes.DELETE_KEY, new KeyName(key), "removed key " + key);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
