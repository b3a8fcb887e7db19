package io.volute.server.s3.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.server.encryption.EncryptionContext;
import io.volute.server.encryption.WrappedKey;
import io.volute.server.encryption.WrappedKey.ByKeyring;
import io.volute.server.encryption.WrappedKey.ByService;
import io.volute.server.s3.encryption.StoredEncryption.Mode;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bytes of the header with an object's encryption, of every version. */
final class StoredEncryptionTest {
    private static final String HEADER = "x-volute-encryption";
    private static final String NAME = "0007" + hex("reports");
    private static final String NONCE = "01".repeat(12);
    private static final String KEY = "02".repeat(48);

    private static String hex(String ascii) {
        return Bytes.of(ascii).hex();
    }

    private static ObjectAttributes attributes(Map<String, String> headers) {
        return new ObjectAttributes(
                "etag",
                new TreeMap<>(headers),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                ObjectLock.NONE);
    }

    private static Optional<StoredEncryption> read(String hex) {
        String text = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
        return StoredEncryption.of(attributes(Map.of(HEADER, text)));
    }

    private static String written(StoredEncryption encryption) {
        String text =
                StoredEncryption.in(attributes(Map.of()), Optional.of(encryption))
                        .headers()
                        .get(HEADER);
        return HexFormat.of().formatHex(Base64.getDecoder().decode(text));
    }

    private static StoredEncryption encryption(EncryptionContext context) {
        return new StoredEncryption(
                Mode.NAMED,
                true,
                new WrappedKey(
                        "reports",
                        3,
                        OptionalLong.empty(),
                        1,
                        context,
                        new ByKeyring(Bytes.ofHex(NONCE), Bytes.ofHex(KEY))));
    }

    @Test
    void theFirstVersionIsReadWithoutAContext() {
        String first = "010201" + NAME + "0000000300000001" + NONCE + KEY;
        assertThat(read(first)).contains(encryption(EncryptionContext.NONE));
    }

    @Test
    void theSecondVersionHasTheContext() {
        StoredEncryption encryption =
                encryption(EncryptionContext.of(Map.of("team", "hr", "a", "")));
        String second =
                "020201"
                        + NAME
                        + "000000030000000101"
                        + NONCE
                        + KEY
                        + ("0002" + "0001" + hex("a") + "0000")
                        + ("0004" + hex("team") + "0002" + hex("hr"));
        assertThat(written(encryption)).isEqualTo(second);
        assertThat(read(second)).contains(encryption);
    }

    @Test
    void aKeyServiceHasATextOfItsOwn() {
        StoredEncryption encryption =
                new StoredEncryption(
                        Mode.NAMED,
                        false,
                        new WrappedKey(
                                "reports",
                                3,
                                OptionalLong.of(258),
                                1,
                                EncryptionContext.NONE,
                                new ByService("vault:v3:AA==")));
        String bytes =
                "030200"
                        + NAME
                        + "00000003"
                        + "0000000000000102"
                        + "0000000102"
                        + "000d"
                        + hex("vault:v3:AA==")
                        + "0000";
        assertThat(written(encryption)).isEqualTo(bytes);
        assertThat(read(bytes)).contains(encryption);
    }

    @Test
    void aNewerVersionIsNotRead() {
        assertThatThrownBy(() -> read("04")).hasMessageContaining("cannot be read");
    }
}
