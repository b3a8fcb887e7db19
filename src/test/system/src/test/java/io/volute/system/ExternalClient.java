package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A client program of another vendor. If it is not installed, a test that needs it is skipped with
 * a message.
 */
public final class ExternalClient {
    private static final long LIMIT_SECONDS = 600;
    private final List<String> start;
    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();

    private ExternalClient(List<String> start, Path directory) {
        this.start = start;
        this.directory = directory;
        environment.put("AWS_ACCESS_KEY_ID", ServerProcess.ACCESS_KEY);
        environment.put("AWS_SECRET_ACCESS_KEY", ServerProcess.SECRET_KEY);
        environment.put("AWS_DEFAULT_REGION", "us-east-1");
        environment.put("AWS_EC2_METADATA_DISABLED", "true");
        environment.put("AWS_CONFIG_FILE", directory.resolve("no-config").toString());
        environment.put(
                "AWS_SHARED_CREDENTIALS_FILE", directory.resolve("no-credentials").toString());
        environment.put("AWS_PAGER", "");
    }

    /** Skips the test when the program is not on the PATH or does not run. */
    public static ExternalClient orSkip(Path directory, List<String> start, String... probe)
            throws IOException {
        boolean there =
                Pattern.compile(Pattern.quote(File.pathSeparator))
                        .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, start.getFirst())));
        assumeThat(there)
                .as("SKIPPED: the program %s is not installed here", start.getFirst())
                .isTrue();
        ExternalClient client = new ExternalClient(start, directory);
        assumeThat(client.run(probe).code())
                .as("SKIPPED: %s %s does not work here", start, List.of(probe))
                .isZero();
        return client;
    }

    public ExternalClient with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public record Result(int code, String output) {
        public String orFail() {
            assertThat(code).as(output).isZero();
            return output;
        }
    }

    public Result run(String... arguments) throws IOException {
        try (Running running = start(arguments)) {
            return running.result();
        }
    }

    public Running start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(start);
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        // What the machine needs to reach the world is in the way on loopback.
        builder.environment()
                .keySet()
                .removeIf(
                        name ->
                                name.equals("AWS_CA_BUNDLE")
                                        || name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return new Running(process, output);
    }

    /** A program under way. */
    public record Running(Process process, Path output) implements AutoCloseable {
        public Result result() throws IOException {
            try {
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("still running after " + LIMIT_SECONDS + " s: " + text());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            return new Result(process.exitValue(), text());
        }

        private String text() throws IOException {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
