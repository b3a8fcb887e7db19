package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;

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
        Files.createFile(directory.resolve("volute.jar"));
        Path jdk = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
        for (String program : List.of("java", "javac")) {
            Path file = jdk.resolve("bin").resolve(program);
            Files.writeString(file, "#!/bin/sh\numask\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private String umaskOf(String command) throws IOException {
        return ExternalClient.orSkip(directory, List.of("sh"), "-c", "exit 0")
                .with("JAVA_HOME", directory.resolve("jdk").toString())
                .run("-c", "umask 022; exec sh ./volute " + command)
                .orFail()
                .strip();
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
