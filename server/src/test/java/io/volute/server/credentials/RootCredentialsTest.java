package io.volute.server.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.credentials.RootCredentials.Origin;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootCredentialsTest {
    private final FileSystem files = new OsFileSystem();
    private final Random random = new Random(11);

    @TempDir private Path directory;

    private Root find(Map<String, String> environment) throws IOException {
        return RootCredentials.find(environment, files, directory, random);
    }

    private Path key() {
        return directory.resolve("keys/master.key");
    }

    private Path credential() {
        return directory.resolve("keys/root.credential");
    }

    @Test
    void makesOnceThenFindsTheSame() throws IOException {
        Root made = find(Map.of());
        assertThat(made.origin()).isEqualTo(Origin.UNUSED);
        assertThat(made.credential().root()).isTrue();
        assertThat(made.credential().accessKey()).matches("VL[A-Z0-9]{18}");
        assertThat(made.credential().secretKey()).matches("[A-Za-z0-9]{40}");
        Root unused = find(Map.of());
        assertThat(unused.origin()).isEqualTo(Origin.UNUSED);
        assertThat(unused.credential()).isEqualTo(made.credential());
        unused.firstUse().record();
        Root found = find(Map.of());
        assertThat(found.origin()).isEqualTo(Origin.STORED);
        assertThat(found.credential()).isEqualTo(made.credential());
    }

    /** A start of a restored store without its private files makes a credential before it fails. */
    @Test
    void aCredentialThatIsPutBackIsNotShown() throws IOException {
        Root used = find(Map.of());
        used.firstUse().record();
        byte[] kept = Files.readAllBytes(credential());
        Files.delete(credential());
        assertThat(find(Map.of()).origin()).isEqualTo(Origin.UNUSED);
        Files.write(credential(), kept);
        Root found = find(Map.of());
        assertThat(found.credential()).isEqualTo(used.credential());
        assertThat(found.origin()).isEqualTo(Origin.STORED);
        // Earlier versions marked any credential.
        Files.write(directory.resolve("keys/root.unused"), new byte[0]);
        assertThat(find(Map.of()).origin()).isEqualTo(Origin.UNUSED);
    }

    @Test
    void keepsTheSecretOutOfTheFilesAndTexts() throws IOException {
        Root made = find(Map.of());
        String secret = made.credential().secretKey();
        for (Path file : List.of(key(), credential())) {
            assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .doesNotContain(secret);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(made.toString()).doesNotContain(secret);
        assertThat(made.credential().toString()).doesNotContain(secret);
    }

    @Test
    void theEnvironmentWinsAndLeavesNoSecret() throws IOException {
        Root given =
                find(Map.of("VOLUTE_ACCESS_KEY", "admin", "VOLUTE_SECRET_KEY", "correct-horse"));
        assertThat(given.origin()).isEqualTo(Origin.ENVIRONMENT);
        assertThat(given.credential().secretKey()).isEqualTo("correct-horse");
        assertThat(given.replaced()).isEmpty();
        assertThat(directory.resolve("keys"))
                .isDirectoryContaining("glob:**/root.environment")
                .isDirectoryNotContaining("glob:**/root.credential");
        assertThat(directory.resolve("keys/root.environment")).hasContent("admin");
        // A later start without them has another key.
        assertThat(find(Map.of()).replaced()).contains("admin");
    }

    @Test
    void refusesHalfOrUnfitEnvironment() {
        assertThatThrownBy(() -> find(Map.of("VOLUTE_ACCESS_KEY", "admin")))
                .hasMessageContaining("belong together");
        assertThatThrownBy(() -> find(Map.of("VOLUTE_SECRET_KEY", "correct-horse")))
                .hasMessageContaining("belong together");
        assertThatThrownBy(
                        () ->
                                find(
                                        Map.of(
                                                "VOLUTE_ACCESS_KEY", "admin",
                                                "VOLUTE_SECRET_KEY", "short")))
                .hasMessageContaining("8 to 128")
                .hasMessageNotContaining("short");
    }

    @Test
    void everyFlippedBitOfTheFileIsNoticed() throws IOException {
        Root made = find(Map.of());
        byte[] sound = Files.readAllBytes(credential());
        for (int i = 0; i < sound.length; i++) {
            byte[] damaged = sound.clone();
            damaged[i] ^= (byte) (1 << (i % 8));
            Files.write(credential(), damaged);
            assertThatThrownBy(() -> find(Map.of()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("root.credential")
                    .hasMessageContaining("VOLUTE_ACCESS_KEY")
                    .hasMessageNotContaining(made.credential().secretKey());
        }
    }

    /** These files have hints for people: a damaged one must not keep the server shut. */
    @Test
    void noFlippedBitOfAHintStopsAStart() throws IOException {
        find(Map.of("VOLUTE_ACCESS_KEY", "admin", "VOLUTE_SECRET_KEY", "correct-horse"));
        Root made = find(Map.of());
        for (String each : List.of("root.environment", "root.unused")) {
            Path file = directory.resolve("keys").resolve(each);
            byte[] sound = Files.readAllBytes(file);
            for (int i = 0; i < sound.length * Byte.SIZE; i++) {
                byte[] damaged = sound.clone();
                damaged[i / Byte.SIZE] ^= (byte) (1 << (i % Byte.SIZE));
                Files.write(file, damaged);
                assertThat(find(Map.of()).credential()).isEqualTo(made.credential());
            }
            Files.write(file, sound);
        }
    }

    @Test
    void saysWhatToDoWhenTheKeyFileDoesNotFit() throws IOException {
        Root made = find(Map.of());
        byte[] key = Files.readAllBytes(key());
        Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> find(Map.of())).hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-------"));
        Files.write(key(), new byte[32]);
        assertThatThrownBy(() -> find(Map.of())).hasMessageContaining("does not fit");
        Files.write(key(), new byte[31]);
        assertThatThrownBy(() -> find(Map.of())).hasMessageContaining("32 bytes");
        Files.delete(key());
        assertThatThrownBy(() -> find(Map.of())).hasMessageContaining("is missing");
        Files.write(key(), key);
        Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-------"));
        assertThat(find(Map.of()).credential()).isEqualTo(made.credential());
    }

    @Test
    void aDeletedCredentialIsMadeAnew() throws IOException {
        Root made = find(Map.of());
        byte[] key = Files.readAllBytes(key());
        Files.delete(credential());
        // What a crash in the middle of writing leaves beside it does not matter.
        Files.writeString(directory.resolve("keys/root.credential.new"), "half");
        Root again = find(Map.of());
        assertThat(again.origin()).isEqualTo(Origin.UNUSED);
        assertThat(again.credential()).isNotEqualTo(made.credential());
        assertThat(Files.readAllBytes(key())).isEqualTo(key);
        assertThat(find(Map.of()).credential()).isEqualTo(again.credential());
    }
}
