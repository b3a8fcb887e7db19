package io.volute.admin.identity;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.util.Map;
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
    private static final String PATH = "/_volute/v1/keys";

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
                    Map<String, Object> key = client.post(PATH, Map.of("user", user));
                    return server.done(
                            key,
                            "access key  " + AnswerFormat.text(key, "accessKey"),
                            "secret key  "
                                    + AnswerFormat.text(key, "secretKey")
                                    + "  shown this once only: keep it");
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
        return IdentityAnswers.post(
                server,
                PATH + "/state",
                Map.of("accessKey", key, "active", active),
                done + "key " + key);
    }

    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Removes a key.")
    Integer remove(@Parameters(paramLabel = "KEY", description = "The access key.") String key)
            throws InterruptedException {
        return IdentityAnswers.post(
                server, PATH + "/remove", Map.of("accessKey", key), "removed key " + key);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
