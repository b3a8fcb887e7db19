package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import java.security.SecureRandom;
import java.util.Optional;
import org.bouncycastle.math.ec.rfc7748.X25519;

/** An X25519 key pair. Says nothing of its secret in {@link #toString()}. */
final class NodeKey {
    private final byte[] secret = new byte[X25519.SCALAR_SIZE];
    private final Bytes open;

    NodeKey(SecureRandom random) {
        X25519.generatePrivateKey(random, secret);
        open = point();
    }

    /** One that was made elsewhere. */
    NodeKey(Bytes secret) {
        if (secret.length() != X25519.SCALAR_SIZE) {
            throw new IllegalArgumentException("a private key has 32 bytes");
        }
        System.arraycopy(secret.toArray(), 0, this.secret, 0, this.secret.length);
        open = point();
    }

    private Bytes point() {
        byte[] point = new byte[X25519.POINT_SIZE];
        X25519.generatePublicKey(secret, 0, point, 0);
        return Bytes.of(point);
    }

    Bytes open() {
        return open;
    }

    Bytes secret() {
        return Bytes.of(secret);
    }

    /** Empty when the other point gives no secret. */
    Optional<byte[]> agree(Bytes other) {
        byte[] agreed = new byte[X25519.POINT_SIZE];
        boolean isGood = X25519.calculateAgreement(secret, 0, other.toArray(), 0, agreed, 0);
        return isGood ? Optional.of(agreed) : Optional.empty();
    }

    @Override
    public String toString() {
        return "node key " + open;
    }
}
