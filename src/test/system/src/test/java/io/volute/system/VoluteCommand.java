package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.client.CommandContext;
import io.volute.admin.output.Screen;
import io.volute.distribution.Main;
import io.volute.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The {@code volute} command, as a person runs it. It runs in the JVM of the test: the start of a
 * JVM takes longer than nearly all commands.
 */
public final class VoluteCommand {
    private static final long POLL_MILLIS = 100;

    private VoluteCommand() {}

    /** The exit code of a command and its output, errors included. */
    public record Said(int code, String text) {
        public Map<String, Object> json() throws IOException {
            return Json.read(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Runs the command with the server's root credentials. */
    public static Said run(ServerProcess server, String... arguments) throws Exception {
        return runAs(server, ServerProcess.SECRET_KEY, arguments);
    }

    /** Runs a command with {@link #run} and checks that it succeeds. Returns its output. */
    public static String done(ServerProcess server, String... arguments) throws Exception {
        Said said = run(server, arguments);
        assertThat(said.code()).as(said.text() + server.log()).isZero();
        return said.text();
    }

    /** Runs a command with {@link #done} and {@code --json}. Returns the document. */
    public static Map<String, Object> json(ServerProcess server, String... arguments)
            throws Exception {
        String[] all =
                Stream.concat(Stream.of(arguments), Stream.of("--json")).toArray(String[]::new);
        return Json.read(done(server, all).getBytes(StandardCharsets.UTF_8));
    }

    /** The id of the store's root key, whose key list goes to a file. */
    public static String rootKey(ServerProcess server, Path keys) throws Exception {
        Map<String, Object> told = json(server, "provenance", "keys", "--output", keys.toString());
        return ((Map<?, ?>) told.get("rootKey")).get("keyId").toString();
    }

    /** Runs a command with {@link #run}, but with another secret. */
    public static Said runAs(ServerProcess server, String secret, String... arguments)
            throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--endpoint");
        all.add(server.endpoint().toString());
        return runWith(
                Map.of("VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY, "VOLUTE_SECRET_KEY", secret),
                all);
    }

    /** Runs an import into a server from another one with the same root credentials. */
    public static Said runWithSource(ServerProcess server, List<String> arguments)
            throws Exception {
        List<String> all = new ArrayList<>(arguments);
        all.add("--endpoint");
        all.add(server.endpoint().toString());
        return runWith(
                Map.of(
                        "VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY,
                        "VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY,
                        "SOURCE_ACCESS_KEY", ServerProcess.ACCESS_KEY,
                        "SOURCE_SECRET_KEY", ServerProcess.SECRET_KEY),
                all);
    }

    /** Runs a command that needs no server, without an endpoint. */
    public static Said runAlone(String... arguments) throws Exception {
        return runWith(Map.of(), List.of(arguments));
    }

    /** Runs a command that needs no server, with these variables. */
    public static Said runAloneWith(Map<String, String> environment, String... arguments)
            throws Exception {
        return runWith(environment, List.of(arguments));
    }

    /** Runs a command as {@link #run}, but in a process of its own, as a person does. */
    public static Said runAsProcess(ServerProcess server, String... arguments) throws Exception {
        List<String> command = VoluteJvm.command(List.of(VoluteJvm.QUICK));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--endpoint", server.endpoint().toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY);
        builder.environment().put("VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY);
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Said(process.exitValue(), text);
    }

    private static Said runWith(Map<String, String> variables, List<String> arguments) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(variables);
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text, true);
        CommandContext context =
                new CommandContext(
                        "volute",
                        environment,
                        StandardCharsets.UTF_8,
                        Clock.systemUTC(),
                        System::nanoTime,
                        InputStream.nullInputStream(),
                        new Screen(false, false, false, ZoneOffset.UTC),
                        () -> TimeUnit.MILLISECONDS.sleep(POLL_MILLIS));
        int code = Main.run(context, out, out, arguments.toArray(String[]::new));
        return new Said(code, text.toString());
    }
}
