package io.volute.server.oidc;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Optional;

/**
 * The signature algorithms of tokens (RFC 7518, section 3). All have a private key that only the
 * provider holds: {@code none} and HMAC are not among them.
 */
enum TokenAlgorithm {
    RS256("SHA256withRSA", 0),
    RS384("SHA384withRSA", 0),
    RS512("SHA512withRSA", 0),
    ES256("SHA256withECDSAinP1363Format", 256),
    ES384("SHA384withECDSAinP1363Format", 384);

    private final String ofJava;
    private final int curveBits;

    TokenAlgorithm(String ofJava, int curveBits) {
        this.ofJava = ofJava;
        this.curveBits = curveBits;
    }

    static Optional<TokenAlgorithm> named(Object name) {
        return Arrays.stream(values()).filter(each -> each.name().equals(name)).findFirst();
    }

    /** Returns whether the algorithm uses keys of this type and curve. */
    boolean fits(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa -> curveBits == 0;
            case ECPublicKey ec -> ec.getParams().getOrder().bitLength() == curveBits;
            default -> false;
        };
    }

    boolean verifies(PublicKey key, byte[] content, byte[] signature) {
        try {
            Signature check = Signature.getInstance(ofJava);
            check.initVerify(key);
            check.update(content);
            return check.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
