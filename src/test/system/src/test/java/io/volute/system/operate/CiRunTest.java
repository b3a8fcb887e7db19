package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.ContainerEngine;
import io.volute.system.ExternalClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Continuous integration ends with what its tests have found, whatever its engine does. */
class CiRunTest {
    private static final String ENGINE = "src/test/docker/engine.sh";

    /** A process that cannot be: above the most that Linux gives. */
    private static final String NO_PROCESS = "4194305";

    /** The programs that a run would install or build. */
    private static final List<String> PROGRAMS =
            List.of(
                    "python3",
                    "aws",
                    "rclone",
                    "prometheus",
                    "chromium",
                    "mandoc",
                    "s3cmd",
                    "mmdebstrap",
                    "nginx",
                    "zip",
                    "unzip",
                    "nats-server");

    private static final String WITH_PACKAGES = "-Dvolute.test.excluded=";

    @TempDir private Path directory;

    private ExternalClient bash(String program) throws IOException {
        assertThat(directory.resolve(program)).exists();
        return ExternalClient.orSkip(directory, List.of("bash"), "--version");
    }

    private void script(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void bring(String name) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.copy(ContainerEngine.repository().resolve(name), file);
    }

    private void programs(int tests, int stop) throws IOException {
        bring(".ci/run");
        for (String installed : PROGRAMS) {
            script("bin/" + installed, "exit 0");
        }
        script(ENGINE, "[ \"$1\" = start ] || exit " + stop);
        script("volute", "echo \"tested: $*\"; exit " + tests);
    }

    private ExternalClient.Result ci() throws IOException {
        return bash(".ci/run")
                .with("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"))
                .with("XDG_CACHE_HOME", directory.resolve("cache").toString())
                .run(".ci/run", "--quiet");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "7,0", "7,1"})
    void endsAsTheTestsDo(int tests, int stop) throws IOException {
        programs(tests, stop);

        ExternalClient.Result result = ci();

        assertThat(result.output()).contains("tested: test --quiet");
        assertThat(result.code()).as(result.output()).isEqualTo(tests);
        assertThat(result.output().contains("could not be stopped")).isEqualTo(stop != 0);
    }

    /** Each file is changed by a commit of its own; the first run cannot tell what was tested. */
    @Test
    void packagesAreTestedWhenWhatTheyAreMadeOfHasChanged() throws IOException {
        programs(0, 0);
        ExternalClient git = ExternalClient.orSkip(directory, List.of("git"), "--version");
        git.run("init", "--quiet").orFail();
        commit(git, ".ci/run");
        assertThat(ci().output()).contains(WITH_PACKAGES);
        commit(git, "docs/reference/settings.md");
        assertThat(ci().output()).doesNotContain(WITH_PACKAGES);
        for (String file : List.of("packaging/build.sh", "docker/Dockerfile", "server/pom.xml")) {
            commit(git, file);
            commit(git, "server/Server.java");
            assertThat(ci().output()).as(file).contains(WITH_PACKAGES);
            assertThat(ci().output()).as(file).doesNotContain(WITH_PACKAGES);
        }
    }

    private void commit(ExternalClient git, String file) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        git.run("add", file).orFail();
        git.run("-c", "user.name=t", "-c", "user.email=t@test.invalid", "commit", "-qm", file)
                .orFail();
    }

    @Test
    void anEngineThatLeftItsDataMountedIsRemovedWhole() throws IOException {
        bring(ENGINE);
        Path data = Files.createDirectories(directory.resolve("engine/data"));
        ExternalClient mount = ExternalClient.orSkip(directory, List.of("mount"), "--version");
        assumeThat(mount.run("--bind", data.toString(), data.toString()).code())
                .as("SKIPPED: nothing can be mounted here")
                .isZero();
        Files.writeString(data.resolve("layer"), "of an image");
        Files.writeString(directory.resolve("engine/docker.pid"), NO_PROCESS);

        ExternalClient.Result stopped =
                bash(ENGINE).run(ENGINE, "stop", directory.resolve("engine").toString());

        assertThat(stopped.orFail()).isEmpty();
        assertThat(directory.resolve("engine")).doesNotExist();
    }
}
