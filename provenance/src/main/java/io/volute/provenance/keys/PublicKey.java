package io.volute.provenance.keys;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.params.MLDSAParameters;
import org.bouncycastle.crypto.params.MLDSAPublicKeyParameters;
import org.bouncycastle.crypto.signers.MLDSASigner;
import org.bouncycastle.math.ec.rfc7748.X25519;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** The public half of a key. */
public record PublicKey(SignatureAlgorithm algorithm, Bytes bytes) {
    /** The key of Ed25519 that was found usable last: most signatures of an audit are by one. */
    private static final AtomicReference<Bytes> LAST_USABLE = new AtomicReference<>(Bytes.EMPTY);

    public PublicKey {
        if (bytes.length() != algorithm.publicKeyBytes()) {
            throw new IllegalArgumentException(
                    algorithm + " public keys have " + algorithm.publicKeyBytes() + " bytes");
        }
    }

    public SignerId id() {
        return SignerId.of(algorithm, bytes);
    }

    /**
     * Whether it is a key: of X25519, points of small order are not; of Ed25519, only points of the
     * prime order are. Of ML-DSA-65 all bytes are a key.
     */
    public boolean isUsable() {
        return switch (algorithm) {
            case ED25519 -> isOfPrimeOrder(bytes.toArray());
            case ML_DSA_65 -> true;
            case X25519 -> {
                byte[] any = new byte[X25519.SCALAR_SIZE];
                any[0] = 1;
                yield X25519.calculateAgreement(
                        any, 0, bytes.toArray(), 0, new byte[X25519.POINT_SIZE], 0);
            }
        };
    }

    /** Returns whether the bytes are the canonical encoding of a point of prime order. */
    private static boolean isOfPrimeOrder(byte[] point) {
        return Ed25519.validatePublicKeyFull(point, 0);
    }

    /** Returns whether the signature is valid; returns false for malformed bytes, never throws. */
    public boolean verifies(Domain domain, Bytes signed, Bytes signature) {
        if (signature.length() != algorithm.signatureBytes()) {
            return false;
        }
        byte[] message = domain.message(signed);
        try {
            return switch (algorithm) {
                case ED25519 -> verifyEd25519(message, signature.toArray());
                case ML_DSA_65 -> verifyMlDsa(message, signature.toArray());
                case X25519 -> false;
            };
        } catch (IllegalArgumentException | IllegalStateException e) {
            // Bouncy Castle throws these for keys that are not points.
            return false;
        }
    }

    /**
     * Strict: key and R are points of the prime order. So all verifiers agree, with and without the
     * cofactor, and no key verifies what nobody signed.
     */
    private boolean verifyEd25519(byte[] message, byte[] signature) {
        if (!bytes.equals(LAST_USABLE.get())) {
            if (!isUsable()) {
                return false;
            }
            LAST_USABLE.set(bytes);
        }
        return isOfPrimeOrder(Arrays.copyOf(signature, Ed25519.PUBLIC_KEY_SIZE))
                && isSigned(message, signature);
    }

    private boolean isSigned(byte[] message, byte[] signature) {
        return new Ed25519PublicKeyParameters(bytes.toArray())
                .verify(Ed25519.Algorithm.Ed25519, null, message, 0, message.length, signature, 0);
    }

    private boolean verifyMlDsa(byte[] message, byte[] signature) {
        MLDSASigner verifier = new MLDSASigner();
        verifier.init(
                false, new MLDSAPublicKeyParameters(MLDSAParameters.ml_dsa_65, bytes.toArray()));
        verifier.update(message, 0, message.length);
        return verifier.verifySignature(signature);
    }
}
