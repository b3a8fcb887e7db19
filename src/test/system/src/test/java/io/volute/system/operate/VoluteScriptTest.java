package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ContainerEngine;
import io.volute.system.ExternalClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the installed script {@code volute} with a JDK that only prints its umask. */
class VoluteScriptTest {
    @TempDir private Path directory;

    @BeforeEach
    void install() throws IOException {
        Files.copy(ContainerEngine.repository().resolve("volute"), directory.resolve("volute"));
        Path jdk = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
        program("java", "umask");
        program("javac", "umask");
    }

    private void program(String name, String script) throws IOException {
        Path file = directory.resolve("jdk/bin").resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String run(String command) throws IOException {
        return ExternalClient.orSkip(directory, List.of("sh"), "-c", "exit 0")
                .with("JAVA_HOME", directory.resolve("jdk").toString())
                .run("-c", command)
                .orFail()
                .strip();
    }

    private String umaskOf(String command) throws IOException {
        Files.createFile(directory.resolve("volute.jar"));
        return run("umask 022; exec sh ./volute " + command);
    }

    /** The Maven of this test starts a second command while it builds, and waits until it waits. */
    @Test
    void oneCommandBuildsAndOthersWait() throws IOException {
        Files.createFile(directory.resolve("pom.xml"));
        for (String module :
                List.of(
                        "storage-io",
                        "storage-core",
                        "provenance",
                        "versioning",
                        "server",
                        "distribution")) {
            Files.createDirectories(directory.resolve(module).resolve("src/main"));
            Files.createFile(directory.resolve(module).resolve("pom.xml"));
        }
        program(
                "mvn",
                """
                echo build >> builds
                if [ ! -e second ]; then
                    sh ./volute version > second 2>&1 &
                    tries=0
                    until grep -q waiting second || [ $tries -gt 300 ]; do
                        tries=$((tries + 1))
                        sleep 0.1
                    done
                fi
                touch distribution/target/volute.jar
                """);

        String first = run("PATH=$PWD/jdk/bin:$PATH; umask 022; sh ./volute version; wait");

        assertThat(first).endsWith("0022");
        assertThat(directory.resolve("builds")).hasContent("build");
        assertThat(run("until grep -q 0022 second; do sleep 0.1; done; cat second"))
                .contains("another command")
                .endsWith("0022");
        assertThat(directory.resolve("distribution/target/volute.lock")).doesNotExist();
    }

    @Test
    void aLockOfACommandThatDiedIsNoLock() throws IOException {
        Files.createFile(directory.resolve("pom.xml"));
        program("mvn", "touch distribution/target/volute.jar");
        run("mkdir -p distribution/target; sh -c 'ln -s $$ distribution/target/volute.lock'");

        String built = run("PATH=$PWD/jdk/bin:$PATH; umask 022; sh ./volute version");

        assertThat(built).endsWith("0022");
        assertThat(directory.resolve("distribution/target/volute.lock")).doesNotExist();
    }

    /** Its JVM loads classes from the jars as long as it runs. */
    @Test
    void aServerGoesOnWhileTheCloneIsBuiltAndPackaged() throws IOException {
        Files.createFile(directory.resolve("pom.xml"));
        Path packaging = Files.createDirectories(directory.resolve("packaging"));
        Files.writeString(packaging.resolve("build.sh"), "#!/bin/sh\ntouch packaged\n");
        Files.setPosixFilePermissions(
                packaging.resolve("build.sh"), PosixFilePermissions.fromString("rwxr-xr-x"));
        program("docker", "exit 1");
        // Maven writes into files that are there, and the training ends at once.
        program(
                "mvn",
                """
                echo build >> builds
                mkdir -p distribution/target/lib
                cp builds distribution/target/volute.jar
                cp builds distribution/target/lib/library.jar
                """);
        program(
                "java",
                """
                while [ "$1" != -jar ]; do shift; done
                [ "$3" = server ] && [ "${4-}" != --data ] || exit 0
                touch started
                until [ -e go ]; do sleep 0.1; done
                cat "$2" "$(dirname "$2")/lib/library.jar"
                """);
        String jars =
                run(
                        """
                        PATH=$PWD/jdk/bin:$PATH
                        sh ./volute server > server &
                        until [ -e started ]; do sleep 0.1; done
                        for i in 1 2 3; do
                            rm distribution/target/volute.stamp
                            sh ./volute version
                        done
                        sh ./volute package
                        touch go
                        wait
                        cat server
                        ls distribution/target/runs | wc -l
                        """);
        assertThat(directory.resolve("packaged")).exists();
        assertThat(directory.resolve("builds")).hasContent("build\n".repeat(5));
        // Those of the first build; that copy, the newest, the one before, and the newest's name.
        assertThat(jars.lines().map(String::strip)).endsWith("build", "build", "4");
    }

    @Test
    void aServerWritesForItsOwnerAlone() throws IOException {
        assertThat(umaskOf("server")).isEqualTo("0077");
    }

    @Test
    void otherCommandsWriteAsUsual() throws IOException {
        assertThat(umaskOf("version")).isEqualTo("0022");
    }
}
