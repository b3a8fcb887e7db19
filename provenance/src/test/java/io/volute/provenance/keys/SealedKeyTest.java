package io.volute.provenance.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.security.SecureRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SealedKeyTest {
    private static final MasterKey MASTER = master(0x40);
    private static final Bytes OTHER_STORE = Bytes.ofHex("000102030405060708090a0b0c0d0e10");

    private static MasterKey master(int first) {
        byte[] secret = new byte[32];
        new Counting(first).nextBytes(secret);
        return new MasterKey(secret);
    }

    private static SealedKey sealed(SigningKey key) {
        return SealedKey.seal(key, Samples.STORE, MASTER, new Counting(0xa0));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void opensAsWhatWasSealed(SignatureAlgorithm algorithm) throws RefusedException {
        SigningKey key = Samples.key(algorithm, "store");
        SealedKey read = SealedKey.decode(sealed(key).encode());
        assertThat(read).isEqualTo(sealed(key));
        SigningKey opened = read.open(MASTER, Samples.STORE);
        assertThat(opened.seed()).isEqualTo(key.seed());
        assertThat(opened.id()).isEqualTo(key.id()).isEqualTo(read.id());
    }

    /** Computed in another language from {@code docs/format/provenance.md}. */
    @ParameterizedTest
    @CsvSource({
        "ED25519,0101"
                + "3b50b8b8bc97deebed0254f2fc5449eb0022e1e8c34365eae6bc19796e492ce2"
                + "a0a1a2a3a4a5a6a7a8a9aaab"
                + "55c286e8fb6e6cafdb06d65652348527325242b03b5a00fddfff8d990bd9a06f"
                + "3529c84e9f6dd7e31fc929828df1b024",
        "ML_DSA_65,0102"
                + "0a0b7755bab8047acad97a6774f93dfd7c63bbc6d3cc58a6df60541edcb1a0ea"
                + "a0a1a2a3a4a5a6a7a8a9aaab"
                + "55c286e8fb6e6cafdb06d65652348527325242b03b5a00fddfff8d990bd9a06f"
                + "ceff7c412d5c2cf58a961c18ce3dcd6c"
    })
    void theEncodingIsAsItWas(SignatureAlgorithm algorithm, String encoded)
            throws RefusedException {
        SigningKey key = Samples.key(algorithm, "store");
        assertThat(sealed(key).encode().hex()).isEqualTo(encoded);
        SigningKey opened = SealedKey.decode(Bytes.ofHex(encoded)).open(MASTER, Samples.STORE);
        assertThat(opened.id()).isEqualTo(key.id());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void anyFlippedBitIsRefused(SignatureAlgorithm algorithm) {
        byte[] bytes = sealed(Samples.key(algorithm, "store")).encode().toArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            Bytes flipped = Bytes.of(bytes);
            assertThatThrownBy(() -> SealedKey.decode(flipped).open(MASTER, Samples.STORE))
                    .as("bit %d", bit)
                    .isInstanceOf(RefusedException.class);
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    @Test
    void anyPieceAndAnythingBehindItIsRefused() {
        byte[] bytes = sealed(Samples.key(SignatureAlgorithm.ED25519, "store")).encode().toArray();
        for (int length = 0; length <= bytes.length + 1; length++) {
            Bytes piece = Bytes.of(Arrays.copyOf(bytes, length));
            if (length != bytes.length) {
                assertThatThrownBy(() -> SealedKey.decode(piece))
                        .as("%d bytes", length)
                        .isInstanceOf(RefusedException.class);
            }
        }
    }

    @Test
    void opensForItsStoreAndMasterKeyOnly() {
        SigningKey key = Samples.key(SignatureAlgorithm.ED25519, "store");
        String message =
                "signing key "
                        + key.id()
                        + " of store %s was sealed with another master key, or is damaged";
        assertThatThrownBy(() -> sealed(key).open(master(0x41), Samples.STORE))
                .isInstanceOf(RefusedException.class)
                .hasMessage(message, Samples.STORE.hex());
        assertThatThrownBy(() -> sealed(key).open(MASTER, OTHER_STORE))
                .isInstanceOf(RefusedException.class)
                .hasMessage(message, OTHER_STORE.hex());
    }

    /**
     * Verifies that an attacker with write access cannot make the store sign with a revoked key.
     */
    @Test
    void oneKeyDoesNotPassForAnother() {
        SealedKey one = sealed(Samples.key(SignatureAlgorithm.ED25519, "one"));
        SignerId other = Samples.key(SignatureAlgorithm.ED25519, "other").id();
        SignerId sameHash = new SignerId(SignatureAlgorithm.ML_DSA_65, one.id().keyId());
        for (SignerId id : new SignerId[] {other, sameHash}) {
            SealedKey swapped = new SealedKey(id, one.nonce(), one.encrypted());
            assertThatThrownBy(() -> swapped.open(MASTER, Samples.STORE))
                    .isInstanceOf(RefusedException.class);
        }
    }

    @Test
    void noNonceIsUsedTwice() {
        SecureRandom random = new SecureRandom();
        SigningKey key = Samples.key(SignatureAlgorithm.ED25519, "store");
        SealedKey one = SealedKey.seal(key, Samples.STORE, MASTER, random);
        SealedKey other = SealedKey.seal(key, Samples.STORE, MASTER, random);
        assertThat(one.nonce()).isNotEqualTo(other.nonce());
        assertThat(one.encrypted()).isNotEqualTo(other.encrypted());
    }

    @Test
    void aStoreIdHas16Bytes() {
        SigningKey key = Samples.key(SignatureAlgorithm.ED25519, "store");
        assertThatThrownBy(() -> SealedKey.seal(key, Bytes.EMPTY, MASTER, new Counting(0)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sealed(key).open(MASTER, Bytes.EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void secretsAreNotShown() {
        SigningKey key = Samples.key(SignatureAlgorithm.ED25519, "store");
        assertThat(key).hasToString("signing key " + key.id());
        assertThat(sealed(key)).hasToString("sealed key " + key.id());
        assertThat(MASTER).hasToString("master key");
    }
}
