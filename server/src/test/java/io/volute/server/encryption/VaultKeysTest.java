package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.server.config.VaultConfig;
import io.volute.server.config.VaultConfig.AppRole;
import io.volute.server.config.VaultConfig.Login;
import io.volute.server.config.VaultConfig.TokenFile;
import io.volute.server.encryption.KeyService.Encrypted;
import io.volute.server.encryption.KeyServiceException.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of a Transit engine, over TLS. */
@Tag("slow")
final class VaultKeysTest {
    private static final Bytes PLAIN = Bytes.of("a data key");
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private static Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private FakeVault vault;
    private Path token;
    private VaultKeys keys;

    @BeforeEach
    void open() throws IOException {
        vault = new FakeVault(directory);
        vault.tokens.put("token-1", FakeVault.LIFE);
        vault.rotate("prod-reports");
        token = secret("token", "token-1\n");
        keys = keys(vault.address(), new TokenFile(token), Optional.of(vault.certificate()), LONG);
    }

    @AfterEach
    void close() {
        keys.close();
        vault.close();
    }

    private Path secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    private VaultKeys keys(URI address, Login login, Optional<Path> authorities, Duration time)
            throws IOException {
        VaultConfig config =
                new VaultConfig(
                        address,
                        "transit",
                        "prod-",
                        Optional.of("team"),
                        login,
                        authorities,
                        Duration.ZERO);
        return new VaultKeys(config, List.of("reports", "other"), nanos::get, time);
    }

    private static KeyServiceException failure(VaultKeys keys) {
        return failure(() -> keys.encrypt("reports", PLAIN));
    }

    /** A call that fails. */
    private interface Call {
        Object run() throws KeyServiceException;
    }

    private static KeyServiceException failure(Call call) {
        try {
            Object unused = call.run();
        } catch (KeyServiceException e) {
            return e;
        }
        throw new AssertionError("it succeeded");
    }

    @Test
    void aTextIsDecryptedByTheVersionThatEncryptedIt() throws IOException {
        Encrypted first = keys.encrypt("reports", PLAIN);
        vault.rotate("prod-reports");
        Encrypted second = keys.encrypt("reports", PLAIN);
        assertThat(first.version()).isEqualTo(1);
        assertThat(second.version()).isEqualTo(2);
        assertThat(keys.decrypt("reports", first.ciphertext())).isEqualTo(PLAIN);
        assertThat(keys.decrypt("reports", second.ciphertext())).isEqualTo(PLAIN);
        assertThat(vault.requests.getFirst())
                .isEqualTo("POST team /v1/transit/encrypt/prod-reports");
        assertThat(keys.state().calls()).isEqualTo(4);
        assertThat(keys.state().failure()).isEmpty();
    }

    @Test
    void aKeyThatDoesNotDecryptAnyMoreIsRefused() throws IOException {
        String old = keys.encrypt("reports", PLAIN).ciphertext();
        vault.rotate("prod-reports");
        vault.minDecryptionVersion("prod-reports", 2);
        KeyServiceException refused = failure(() -> keys.decrypt("reports", old));
        assertThat(refused.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refused).hasMessageContaining("too old");
        assertThat(failure(() -> keys.encrypt("other", PLAIN)).kind()).isEqualTo(Kind.REFUSED);
        assertThat(keys.state().failure()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"503, Vault is sealed", "429, standby", "500, internal error", "404, no route"})
    void aServiceThatCannotAnswerIsUnavailableUntilItCan(int status, String message)
            throws IOException {
        vault.answer = Optional.of(FakeVault.error(status, message));
        KeyServiceException failed = failure(keys);
        assertThat(failed.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(keys.state().failure().orElseThrow()).contains(message);
        assertThat(keys.state().failures()).isEqualTo(1);
        vault.answer = Optional.empty();
        assertThat(keys.encrypt("reports", PLAIN)).isNotNull();
        assertThat(keys.state().failure()).isEmpty();
    }

    @Test
    void aCertificateOfNobodyKnownIsRefused() throws IOException {
        try (VaultKeys distrustful =
                keys(vault.address(), new TokenFile(token), Optional.empty(), LONG)) {
            assertThat(failure(distrustful).kind()).isEqualTo(Kind.UNAVAILABLE);
        }
        assertThat(vault.requests).isEmpty();
    }

    /** The certificate is for an address, so a name that resolves to it proves nothing. */
    @Test
    void aCertificateOfAnotherNameIsRefused() throws IOException {
        URI named = URI.create("https://localhost:" + vault.address().getPort());
        try (VaultKeys misled =
                keys(named, new TokenFile(token), Optional.of(vault.certificate()), LONG)) {
            assertThat(failure(misled).kind()).isEqualTo(Kind.UNAVAILABLE);
        }
        assertThat(vault.requests).isEmpty();
    }

    @Test
    void theServiceOfACloudsHostIsNoTarget() throws IOException {
        for (String host : List.of("169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]")) {
            try (VaultKeys misled =
                    keys(
                            URI.create("https://" + host + ":8200"),
                            new TokenFile(token),
                            Optional.empty(),
                            LONG)) {
                assertThat(failure(misled)).hasMessageContaining("not allowed");
            }
        }
    }

    @Test
    void aRedirectIsNotFollowed() {
        vault.answer =
                Optional.of(
                        exchange -> {
                            exchange.getResponseHeaders().add("location", "/v1/elsewhere");
                            exchange.sendResponseHeaders(307, -1);
                        });
        assertThat(failure(keys).kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(vault.requests).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"100000, longer", "10, no known form"})
    void anAnswerOfAnotherFormIsRefused(int bytes, String message) {
        vault.answer =
                Optional.of(
                        exchange -> {
                            exchange.sendResponseHeaders(200, bytes);
                            exchange.getResponseBody().write(new byte[bytes]);
                        });
        assertThat(failure(keys)).hasMessageContaining(message);
    }

    @Test
    void aSilentServiceIsLeftAloneForAMoment() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        vault.answer =
                Optional.of(
                        exchange -> {
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        try (VaultKeys hasty =
                keys(
                        vault.address(),
                        new TokenFile(token),
                        Optional.of(vault.certificate()),
                        Duration.ofMillis(300))) {
            assertThat(failure(hasty)).hasMessageContaining("300 ms");
            int before = vault.requests.size();
            assertThat(failure(hasty)).hasMessageContaining("just now");
            assertThat(vault.requests).hasSize(before);
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(failure(hasty)).hasMessageContaining("300 ms");
        } finally {
            end.countDown();
        }
    }

    @Test
    void aReplacedTokenFileIsReadWhenTheOldTokenIsRefused() throws IOException {
        assertThat(keys.encrypt("reports", PLAIN)).isNotNull();
        vault.tokens.clear();
        KeyServiceException refused = failure(keys);
        assertThat(refused.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(refused).hasMessageContaining("permission denied");
        vault.tokens.put("token-2", FakeVault.LIFE);
        secret("token", "token-2");
        assertThat(keys.encrypt("reports", PLAIN)).isNotNull();
    }

    @Test
    void aRoleLogsInAndAgainWhenItsTokenIsRefused() throws IOException {
        Path file = secret("secret-id", "secret-1\n");
        try (VaultKeys byRole =
                keys(
                        vault.address(),
                        new AppRole("volute", file),
                        Optional.of(vault.certificate()),
                        LONG)) {
            assertThat(byRole.encrypt("reports", PLAIN)).isNotNull();
            assertThat(byRole.encrypt("reports", PLAIN)).isNotNull();
            assertThat(vault.requests.stream().filter(each -> each.endsWith("login"))).hasSize(1);
            vault.tokens.clear();
            assertThat(byRole.encrypt("reports", PLAIN)).isNotNull();
            vault.tokens.clear();
            vault.secretId = "secret-2";
            assertThat(failure(byRole)).hasMessageContaining("invalid role or secret ID");
            secret("secret-id", "secret-2");
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(byRole.encrypt("reports", PLAIN)).isNotNull();
        }
    }

    @Test
    void aTokenIsRenewedInTheSecondHalfOfItsLife() {
        vault.tokens.put("token-1", FakeVault.LIFE / 2);
        keys.look();
        assertThat(vault.tokens).containsEntry("token-1", FakeVault.LIFE / 2);
        vault.tokens.put("token-1", FakeVault.LIFE / 2 - 1);
        keys.look();
        assertThat(vault.tokens).containsEntry("token-1", FakeVault.LIFE);
    }

    @Test
    void aLookFindsOutWhetherTheServiceAnswers() {
        vault.answer = Optional.of(FakeVault.error(503, "Vault is sealed"));
        keys.look();
        assertThat(keys.state().failure().orElseThrow()).contains("sealed");
        vault.answer = Optional.empty();
        keys.look();
        assertThat(keys.state().failure()).isEmpty();
    }

    @Test
    void aFileThatCannotBeUsedFailsTheStart() throws IOException {
        Login missing = new TokenFile(directory.resolve("missing"));
        assertThatThrownBy(() -> keys(vault.address(), missing, Optional.empty(), LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("encryption.vault.token-file");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(
                        () -> keys(vault.address(), new TokenFile(token), Optional.empty(), LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("encryption.vault.token-file");
    }
}
