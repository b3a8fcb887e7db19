package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import java.security.SecureRandom;

/**
 * The key pair that an auditor makes: its public half is a leaf of trees, the private one never
 * leaves the auditor. Says nothing of its secret in {@link #toString()}.
 */
public final class AuditorKey {
    private final NodeKey key;

    private AuditorKey(NodeKey key) {
        this.key = key;
    }

    public static AuditorKey generate(SecureRandom random) {
        return new AuditorKey(new NodeKey(random));
    }

    /**
     * @param secret an X25519 private key (RFC 7748)
     * @throws IllegalArgumentException when it has not 32 bytes
     */
    public static AuditorKey of(Bytes secret) {
        return new AuditorKey(new NodeKey(secret));
    }

    /** The X25519 public key. */
    public Bytes publicKey() {
        return key.open();
    }

    /** For the file of its owner, and nobody else. */
    public Bytes secret() {
        return key.secret();
    }

    NodeKey leaf() {
        return key;
    }

    @Override
    public String toString() {
        return "auditor's key " + publicKey();
    }
}
