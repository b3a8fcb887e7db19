package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.RefusedException;

/** The signature algorithms; the code is part of the format. */
public enum SignatureAlgorithm {
    ED25519(1, 32, 64),
    ML_DSA_65(2, 1952, 3309);

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

    public static SignatureAlgorithm decode(ByteReader in) throws RefusedException {
        int code = in.u8("signature algorithm");
        return switch (code) {
            case 1 -> ED25519;
            case 2 -> ML_DSA_65;
            default -> throw in.refused("signature algorithm " + code + " is unknown");
        };
    }
}
