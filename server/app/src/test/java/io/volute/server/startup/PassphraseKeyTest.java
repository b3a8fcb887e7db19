package io.volute.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassphraseKeyTest {
    private static final Bytes STORE = Bytes.of(new byte[16]);

    private final SecureRandom random = new SecureRandom();

    @TempDir Path directory;

    private PassphraseKey key(String passphrase) throws IOException {
        Path file = directory.resolve("passphrase");
        Files.writeString(file, passphrase);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return new PassphraseKey(new OsFileSystem(), file, parameters());
    }

    private Path parameters() {
        return directory.resolve("keys/parameters");
    }

    @Test
    @Tag("slow")
    void theSamePassphraseOpensAgain() throws IOException {
        MasterKey first = key("correct horse\nwhat is behind is nothing").derive(false, random);
        SigningKey signing = SigningKey.generate(SignatureAlgorithm.ED25519, random);
        SealedKey sealed = SealedKey.seal(signing, STORE, first, random);
        MasterKey again = key("correct horse\r\n").derive(true, random);
        assertThat(sealed.open(again, STORE).id()).isEqualTo(signing.id());
        MasterKey other = key("correct house").derive(true, random);
        assertThatThrownBy(() -> sealed.open(other, STORE)).isInstanceOf(RefusedException.class);
    }

    @Test
    void refusesWhatCannotBe() throws IOException {
        PassphraseKey good = key("p");
        assertThatThrownBy(() -> good.derive(true, random))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is missing, and the signing keys");
        assertThatThrownBy(() -> key("\np").derive(false, random))
                .hasMessageContaining("is no passphrase");
        assertThatThrownBy(() -> key("p".repeat(5000)).derive(false, random))
                .hasMessageContaining("is no passphrase");
        PassphraseKey readable = key("p");
        Files.setPosixFilePermissions(
                directory.resolve("passphrase"), PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> readable.derive(false, random)).hasMessageContaining("chmod 600");
        Files.delete(directory.resolve("passphrase"));
        assertThatThrownBy(() -> readable.derive(false, random))
                .hasMessageContaining("write the passphrase in it");
        assertThat(parameters()).doesNotExist();
        Files.createDirectories(parameters().getParent());
        Files.write(parameters(), new byte[] {1, 2});
        assertThatThrownBy(() -> key("p").derive(true, random)).hasMessageContaining("damaged");
    }
}
