package io.volute.provenance.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.golden.WeakSignatures;
import io.volute.provenance.record.SignatureAlgorithm;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SigningKeyTest {
    private static final Bytes SIGNED = Bytes.of("what was signed");

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void signsForOneUseAndOneText(SignatureAlgorithm algorithm) {
        SigningKey key = Samples.key(algorithm, "store");
        Bytes signature = key.sign(Domain.BATCH_SIGNATURE, SIGNED);
        PublicKey open = key.publicKey();
        assertThat(open.verifies(Domain.BATCH_SIGNATURE, SIGNED, signature)).isTrue();
        assertThat(open.verifies(Domain.CHECKPOINT_SIGNATURE, SIGNED, signature)).isFalse();
        assertThat(open.verifies(Domain.BATCH_SIGNATURE, Bytes.of("other"), signature)).isFalse();
        assertThat(open.verifies(Domain.BATCH_SIGNATURE, SIGNED, Bytes.EMPTY)).isFalse();
        PublicKey other = Samples.key(algorithm, "other").publicKey();
        assertThat(other.verifies(Domain.BATCH_SIGNATURE, SIGNED, signature)).isFalse();
        assertThat(key.sign(Domain.BATCH_SIGNATURE, SIGNED)).isEqualTo(signature);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void anyFlippedBitOfASignatureIsSeen(SignatureAlgorithm algorithm) {
        SigningKey key = Samples.key(algorithm, "store");
        byte[] signature = key.sign(Domain.BATCH_SIGNATURE, SIGNED).toArray();
        int step = algorithm == SignatureAlgorithm.ED25519 ? 1 : 37;
        for (int bit = 0; bit < signature.length * 8; bit += step) {
            signature[bit >> 3] ^= (byte) (1 << (bit & 7));
            boolean good =
                    key.publicKey().verifies(Domain.BATCH_SIGNATURE, SIGNED, Bytes.of(signature));
            assertThat(good).as("bit %d", bit).isFalse();
            signature[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    @Test
    void keysThatVerifyWhatNobodySignedAreRefused() {
        int unusable = 0;
        for (Bytes weak : WeakSignatures.ALL) {
            byte[] bytes = weak.toArray();
            Bytes open = Bytes.of(Arrays.copyOf(bytes, WeakSignatures.KEY_BYTES));
            PublicKey key = new PublicKey(SignatureAlgorithm.ED25519, open);
            Bytes signature =
                    Bytes.of(Arrays.copyOfRange(bytes, WeakSignatures.KEY_BYTES, bytes.length));
            assertThat(key.verifies(Domain.BATCH_SIGNATURE, Bytes.of("abc"), signature))
                    .as(weak.hex())
                    .isFalse();
            unusable += key.isUsable() ? 0 : 1;
        }
        assertThat(unusable).isEqualTo(WeakSignatures.ALL.size() - 1);
        assertThat(Samples.key(SignatureAlgorithm.ED25519, "store").publicKey().isUsable())
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void bytesThatAreNoKeyVerifyNothing(SignatureAlgorithm algorithm) {
        PublicKey none = new PublicKey(algorithm, Bytes.of(new byte[algorithm.publicKeyBytes()]));
        Bytes signature = Bytes.of(new byte[algorithm.signatureBytes()]);
        assertThat(none.verifies(Domain.BATCH_SIGNATURE, SIGNED, signature)).isFalse();
    }
}
