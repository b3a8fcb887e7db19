package io.volute.provenance.keys;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.security.SecureRandom;
import org.bouncycastle.crypto.CryptoException;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.MLDSAParameters;
import org.bouncycastle.crypto.params.MLDSAPrivateKeyParameters;
import org.bouncycastle.crypto.signers.MLDSASigner;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * A private key that signs. Signatures are deterministic: the same key and bytes give the same
 * signature. Thread-safe. Says nothing of its secret in {@link #toString()}.
 */
public final class SigningKey {
    /** Both algorithms make their keys from a seed of this length. */
    public static final int SEED_BYTES = 32;

    private final Bytes seed;
    private final PublicKey publicKey;
    private final SignerId id;
    private final Secret secret;

    private sealed interface Secret {
        record Ed(Ed25519PrivateKeyParameters key) implements Secret {}

        record MlDsa(MLDSAPrivateKeyParameters key) implements Secret {}
    }

    private SigningKey(Bytes seed, PublicKey publicKey, Secret secret) {
        this.seed = seed;
        this.publicKey = publicKey;
        this.secret = secret;
        id = publicKey.id();
    }

    /**
     * @throws IllegalArgumentException when the seed has not 32 bytes, or the algorithm signs
     *     nothing
     */
    public static SigningKey ofSeed(SignatureAlgorithm algorithm, Bytes seed) {
        if (seed.length() != SEED_BYTES) {
            throw new IllegalArgumentException("a seed has 32 bytes");
        }
        return switch (algorithm) {
            case ED25519 -> {
                Ed25519PrivateKeyParameters key = new Ed25519PrivateKeyParameters(seed.toArray());
                Bytes open = Bytes.of(key.generatePublicKey().getEncoded());
                yield new SigningKey(seed, new PublicKey(algorithm, open), new Secret.Ed(key));
            }
            case ML_DSA_65 -> {
                MLDSAPrivateKeyParameters key =
                        new MLDSAPrivateKeyParameters(MLDSAParameters.ml_dsa_65, seed.toArray());
                Bytes open = Bytes.of(key.getPublicKey());
                yield new SigningKey(seed, new PublicKey(algorithm, open), new Secret.MlDsa(key));
            }
            case X25519 -> throw new IllegalArgumentException("X25519 signs nothing");
        };
    }

    public static SigningKey generate(SignatureAlgorithm algorithm, SecureRandom random) {
        byte[] seed = new byte[SEED_BYTES];
        random.nextBytes(seed);
        return ofSeed(algorithm, Bytes.of(seed));
    }

    public PublicKey publicKey() {
        return publicKey;
    }

    public SignerId id() {
        return id;
    }

    /** The secret itself, for the key store. */
    Bytes seed() {
        return seed;
    }

    public Bytes sign(Domain domain, Bytes bytes) {
        byte[] message = domain.message(bytes);
        return switch (secret) {
            case Secret.Ed(Ed25519PrivateKeyParameters key) -> signEd25519(key, message);
            case Secret.MlDsa(MLDSAPrivateKeyParameters key) -> signMlDsa(key, message);
        };
    }

    private static Bytes signEd25519(Ed25519PrivateKeyParameters key, byte[] message) {
        byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
        key.sign(Ed25519.Algorithm.Ed25519, null, message, 0, message.length, signature, 0);
        return Bytes.of(signature);
    }

    private static Bytes signMlDsa(MLDSAPrivateKeyParameters key, byte[] message) {
        MLDSASigner signer = new MLDSASigner();
        signer.init(true, key);
        signer.update(message, 0, message.length);
        try {
            return Bytes.of(signer.generateSignature());
        } catch (CryptoException e) {
            throw new IllegalStateException("ML-DSA-65 could not sign", e);
        }
    }

    @Override
    public String toString() {
        return "signing key " + id;
    }
}
