package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.RefusedException;
import java.util.List;

/**
 * What keys in the key list are of; the code is part of the format. All but the last sign: keys of
 * auditors, to which session keys are encrypted, are in the same list.
 */
public enum SignatureAlgorithm {
    ED25519(1, 32, 64),
    ML_DSA_65(2, 1952, 3309),
    X25519(3, 32, 0);

    /** Those that sign. */
    public static final List<SignatureAlgorithm> SIGNING = List.of(ED25519, ML_DSA_65);

    private final int code;
    private final int publicKeyBytes;
    private final int signatureBytes;

    SignatureAlgorithm(int code, int publicKeyBytes, int signatureBytes) {
        this.code = code;
        this.publicKeyBytes = publicKeyBytes;
        this.signatureBytes = signatureBytes;
    }

    public int code() {
        return code;
    }

    public int publicKeyBytes() {
        return publicKeyBytes;
    }

    public int signatureBytes() {
        return signatureBytes;
    }

    public boolean signs() {
        return signatureBytes > 0;
    }

    /** Decodes the algorithm of a signature; rejects algorithms that cannot sign. */
    public static SignatureAlgorithm decode(ByteReader in) throws RefusedException {
        int code = in.u8("signature algorithm");
        return switch (code) {
            case 1 -> ED25519;
            case 2 -> ML_DSA_65;
            default -> throw in.refused("signature algorithm " + code + " is unknown");
        };
    }

    /** Decodes the algorithm of a key for any purpose. */
    public static SignatureAlgorithm decodeOfKey(ByteReader in) throws RefusedException {
        int code = in.u8("algorithm");
        if (code < 1 || code > values().length) {
            throw in.refused("algorithm " + code + " is unknown");
        }
        return values()[code - 1];
    }
}
