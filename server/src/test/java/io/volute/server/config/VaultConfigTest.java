package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.VaultConfig.AppRole;
import io.volute.server.config.VaultConfig.TokenFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of the key service. */
final class VaultConfigTest {
    private static final String VAULT =
            """
            encryption.kms = vault
            encryption.vault.address = "https://vault:8200"
            """;
    private static final String TOKEN = "encryption.vault.token-file = /t\n";

    @TempDir private Path directory;

    private Optional<VaultConfig> read(String text) throws IOException, ConfigException {
        Path file = Files.writeString(directory.resolve("volute.conf"), text);
        return ConfigSource.read(Optional.of(file), Map.of(), Map.of()).protocol().vault();
    }

    @Test
    void isOffUnlessAsked() throws Exception {
        assertThat(read("")).isEmpty();
    }

    @Test
    void readsATokenFile() throws Exception {
        assertThat(read(VAULT + TOKEN))
                .contains(
                        new VaultConfig(
                                URI.create("https://vault:8200"),
                                "transit",
                                "",
                                Optional.empty(),
                                new TokenFile(Path.of("/t")),
                                Optional.empty(),
                                Duration.ofSeconds(60)));
    }

    @Test
    void readsARoleAndAllElse() throws Exception {
        String more =
                """
                encryption.vault { role-id = r, secret-id-file = /s, mount = a/b, prefix = p-
                  namespace = n, ca-file = /c, cache = 0 }
                """;
        assertThat(read(VAULT + more))
                .contains(
                        new VaultConfig(
                                URI.create("https://vault:8200"),
                                "a/b",
                                "p-",
                                Optional.of("n"),
                                new AppRole("r", Path.of("/s")),
                                Optional.of(Path.of("/c")),
                                Duration.ZERO));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "encryption.kms = vault | encryption.vault.token-file",
                "encryption.vault.address = \"https://vault\" | encryption.kms = vault",
                "encryption.vault.role-id = r | encryption.vault.secret-id-file",
                "encryption.vault {token-file = /t, role-id = r} | either",
                "encryption.vault {token-file = /t, address = \"http://vault\"} | https",
                "encryption.vault {token-file = /t, address = \"https://v/path\"} | the address",
                "encryption.vault {token-file = /t, mount = \"../sys\"} | a path",
                "encryption.vault {token-file = /t}, encryption.keys = [\"a/b\"] | Transit",
                "encryption.vault {token-file = /t}, encryption.restricted-keys = [\"a:b\"] |"
                        + " Transit"
            })
    void tellsWhatIsWrong(String text, String message) {
        String begin = text.startsWith("encryption.vault.address") ? "" : VAULT;
        assertThatThrownBy(() -> read(begin + text)).hasMessageContaining(message);
    }

    @Test
    void aLoopbackAddressNeedsNoTls() throws Exception {
        String agent = "encryption.vault.address = \"http://127.0.0.1:8100\"\n";
        assertThat(read(VAULT + agent + TOKEN)).isPresent();
    }
}
