package io.volute.server.oidc;

import io.volute.server.json.Json;
import java.io.IOException;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The public keys of a provider (JSON Web Key Set, RFC 7517). Keys that no algorithm of {@link
 * TokenAlgorithm} uses are left out. Immutable.
 */
record KeySet(List<Key> keys) {
    private static final int LEAST_RSA_BITS = 2048;
    private static final int MOST_RSA_BITS = 8192;
    private static final int MOST_EXPONENT_BITS = 32;
    private static final int MOST_KEYS = 200;

    KeySet {
        keys = List.copyOf(keys);
    }

    /**
     * A key of the set.
     *
     * @param id empty when the set has none
     * @param algorithm the only one that the key is for; empty when the set names none
     */
    record Key(String id, Optional<String> algorithm, PublicKey key) {
        private boolean isFor(TokenAlgorithm asked) {
            return asked.fits(key)
                    && algorithm.filter(name -> !name.equals(asked.name())).isEmpty();
        }
    }

    /**
     * Reads a set.
     *
     * @throws IOException when it is no set of keys
     */
    static KeySet read(byte[] document) throws IOException {
        if (!(Json.read(document).get("keys") instanceof List<?> written)) {
            throw new IOException("it has no list of keys");
        }
        if (written.size() > MOST_KEYS) {
            throw new IOException("it has more than " + MOST_KEYS + " keys");
        }
        List<Key> keys = new ArrayList<>();
        for (Object each : written) {
            if (each instanceof Map<?, ?> key) {
                key(key).ifPresent(keys::add);
            }
        }
        return new KeySet(keys);
    }

    /**
     * Finds the key of a token. A token that names no key can have the only key for its algorithm.
     */
    Optional<PublicKey> find(Optional<String> id, TokenAlgorithm algorithm) {
        List<Key> found =
                keys.stream()
                        .filter(key -> key.isFor(algorithm))
                        .filter(key -> id.isEmpty() || id.get().equals(key.id()))
                        .toList();
        return found.size() == 1 ? Optional.of(found.getFirst().key()) : Optional.empty();
    }

    private static Optional<Key> key(Map<?, ?> written) {
        Object use = written.get("use");
        if (use != null && !use.equals("sig")) {
            return Optional.empty();
        }
        String id = written.get("kid") instanceof String text ? text : "";
        Optional<String> algorithm = Optional.ofNullable(written.get("alg")).map(String::valueOf);
        try {
            return publicKey(written).map(key -> new Key(id, algorithm, key));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> publicKey(Map<?, ?> written)
            throws GeneralSecurityException {
        return switch (String.valueOf(written.get("kty"))) {
            case "RSA" -> rsa(number(written.get("n")), number(written.get("e")));
            case "EC" -> curve(written.get("crv"), written.get("x"), written.get("y"));
            default -> Optional.empty();
        };
    }

    private static Optional<PublicKey> rsa(BigInteger modulus, BigInteger exponent)
            throws GeneralSecurityException {
        int bits = modulus.bitLength();
        boolean isUsable =
                bits >= LEAST_RSA_BITS
                        && bits <= MOST_RSA_BITS
                        && exponent.bitLength() > 1
                        && exponent.bitLength() <= MOST_EXPONENT_BITS;
        return isUsable
                ? Optional.of(
                        KeyFactory.getInstance("RSA")
                                .generatePublic(new RSAPublicKeySpec(modulus, exponent)))
                : Optional.empty();
    }

    private static Optional<PublicKey> curve(Object name, Object x, Object y)
            throws GeneralSecurityException {
        String curve =
                switch (String.valueOf(name)) {
                    case "P-256" -> "secp256r1";
                    case "P-384" -> "secp384r1";
                    default -> "";
                };
        if (curve.isEmpty()) {
            return Optional.empty();
        }
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(curve));
        ECPublicKeySpec spec =
                new ECPublicKeySpec(
                        new ECPoint(number(x), number(y)),
                        parameters.getParameterSpec(ECParameterSpec.class));
        return Optional.of(KeyFactory.getInstance("EC").generatePublic(spec));
    }

    private static BigInteger number(Object text) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(String.valueOf(text)));
    }
}
