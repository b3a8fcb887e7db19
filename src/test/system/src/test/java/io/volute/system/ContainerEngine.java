package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The container engine of this machine, used through its command. On a machine without one, a test
 * that needs it is skipped with a message.
 */
public final class ContainerEngine {
    private static final String NONE =
            "SKIPPED: no container engine answers; src/test/docker/engine.sh starts one";

    private ContainerEngine() {}

    private record Result(int code, String output) {}

    /** Skips the test when no engine answers; returns the version of its API. */
    public static String orSkip() {
        Result version = run(Map.of(), "docker", "version", "--format", "{{.Server.APIVersion}}");
        if (version.code() != 0) {
            System.out.println(NONE);
        }
        assumeThat(version.code()).as(NONE).isZero();
        return version.output().strip();
    }

    /** Builds the image of docker/ from what this build has packaged. */
    public static void buildImage(String tag) {
        Path repository = repository();
        assumeThat(repository.resolve("distribution/target/volute.jar"))
                .as("SKIPPED: Volute has not been packaged; run mvn verify")
                .exists();
        Result built =
                run(
                        Map.of("JAVA_HOME", System.getProperty("java.home")),
                        repository.resolve("docker/build.sh").toString(),
                        tag);
        assertThat(built.code()).as(built.output()).isZero();
    }

    public static Path repository() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("ARCHITECTURE.md"))) {
            directory = directory.getParent();
        }
        return directory;
    }

    private static Result run(Map<String, String> environment, String... command) {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            return new Result(127, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
