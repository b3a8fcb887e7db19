package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.encryption.Keyring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Named keys as operators see them. */
class EncryptionRoutesTest {
    private static final String KEYS = "/_volute/v1/encryption/keys";

    @TempDir private Path directory;
    private AdminTestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new AdminTestBed(directory);
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    @Test
    void rotatesNamedKeys() throws IOException {
        bed.keyring.require(List.of("reports"));
        assertThat(bed.post(KEYS + "/rotate", Map.of("name", "reports")).document())
                .isEqualTo(Map.of("name", "reports", "version", 2L));
        assertThat(bed.post(KEYS + "/rotate", Map.of("name", Keyring.DEFAULT_KEY)).status())
                .isEqualTo(200);
        assertThat(bed.keyring.names()).containsEntry("reports", 2);
        assertThat(bed.get(KEYS, Map.of()).document().get("keys"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .contains(Map.of("name", "reports", "version", 2L));
    }

    @Test
    void keysOfAKeyServiceAreRotatedThere() throws IOException {
        Answer refused = bed.post(KEYS + "/rotate", Map.of("name", "of-service"));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("KeyOfService");
        assertThat(bed.get(KEYS, Map.of()).document().get("service"))
                .isEqualTo(
                        Map.of(
                                "address",
                                "memory",
                                "keys",
                                List.of("of-service"),
                                "failure",
                                "UNAVAILABLE"));
    }

    @Test
    void makesNoKeyByRotation() throws IOException {
        Answer refused = bed.post(KEYS + "/rotate", Map.of("name", "other"));
        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.code()).isEqualTo("NoSuchEncryptionKey");
        assertThat(refused.message()).contains("encryption.keys");
        assertThat(bed.keyring.has("other")).isFalse();
    }

    /** The caller must repeat it: it is no success, and no failure of the server. */
    @Test
    void anErasureThatAnotherOwnerDoesNotConfirmIsUnavailable() throws IOException {
        Map<String, String> asked = Map.of("bucket", "photos", "key", "a");
        bed.keyringPlace.awaitOwner(Optional.of("node2"));
        Answer refused = bed.post("/_volute/v1/shred", asked);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("ErasureUnconfirmed");
        assertThat(refused.message()).isEqualTo("node2 may have the keys in memory");
        bed.keyringPlace.awaitOwner(Optional.empty());
        assertThat(bed.post("/_volute/v1/shred", asked).status()).isEqualTo(200);
    }
}
