package io.volute.server.oidc;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.volute.server.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An OpenID Connect provider on a loopback address, which answers as tests want. */
public final class TestIssuer implements AutoCloseable {
    /** The path of the discovery document. */
    public static final String DISCOVERY = "/realms/one/.well-known/openid-configuration";

    /** Keys of RSA take long to make. */
    private static final Map<String, KeyPair> MADE = new ConcurrentHashMap<>();

    private final HttpServer server;
    private final Map<String, KeyPair> keys = new ConcurrentHashMap<>();

    /** Paths of the requests so far. */
    public final List<String> requests = new CopyOnWriteArrayList<>();

    /** Answers in place of the usual ones, by path. */
    public final Map<String, Answer> answers = new ConcurrentHashMap<>();

    /** An answer to a GET. */
    @FunctionalInterface
    public interface Answer {
        /** Answers. */
        void to(HttpExchange exchange) throws IOException;
    }

    public TestIssuer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Returns the issuer of the tokens. */
    public String name() {
        return "http://" + host() + "/realms/one";
    }

    /** Returns host and port. */
    public String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            requests.add(path);
            answers.getOrDefault(path, usual(path)).to(exchange);
        }
    }

    private Answer usual(String path) {
        return switch (path) {
            case DISCOVERY ->
                    json(Map.of("issuer", name(), "jwks_uri", "http://" + host() + "/keys"));
            case "/keys" -> json(keySet());
            default -> exchange -> exchange.sendResponseHeaders(404, -1);
        };
    }

    /** Returns the answer with a document. */
    public static Answer json(Map<String, ?> document) {
        byte[] bytes = Json.write(document);
        return exchange -> {
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    private Map<String, ?> keySet() {
        List<Map<String, String>> all = new ArrayList<>();
        new TreeMap<>(keys).forEach((id, pair) -> all.add(jwk(id, pair.getPublic())));
        return Map.of("keys", all);
    }

    private static Map<String, String> jwk(String id, PublicKey key) {
        Map<String, String> jwk = new TreeMap<>(Map.of("kid", id, "use", "sig"));
        if (key instanceof RSAPublicKey rsa) {
            jwk.putAll(
                    Map.of(
                            "kty",
                            "RSA",
                            "n",
                            number(rsa.getModulus(), 0),
                            "e",
                            number(rsa.getPublicExponent(), 0)));
        } else {
            ECPublicKey curve = (ECPublicKey) key;
            int bits = curve.getParams().getOrder().bitLength();
            jwk.putAll(
                    Map.of(
                            "kty",
                            "EC",
                            "crv",
                            "P-" + bits,
                            "x",
                            number(curve.getW().getAffineX(), bits / 8),
                            "y",
                            number(curve.getW().getAffineY(), bits / 8)));
        }
        return jwk;
    }

    private static String number(BigInteger value, int bytes) {
        byte[] all = value.toByteArray();
        byte[] plain = all[0] == 0 ? Arrays.copyOfRange(all, 1, all.length) : all;
        byte[] padded = new byte[Math.max(bytes, plain.length)];
        System.arraycopy(plain, 0, padded, padded.length - plain.length, plain.length);
        return encoded(padded);
    }

    /** Adds a key for an algorithm and returns it; the same for all issuers. */
    public KeyPair add(String id, String algorithm) {
        KeyPair pair = MADE.computeIfAbsent(id + " " + algorithm, name -> pair(algorithm));
        keys.put(id, pair);
        return pair;
    }

    private static KeyPair pair(String algorithm) {
        try {
            KeyPairGenerator maker =
                    KeyPairGenerator.getInstance(algorithm.startsWith("ES") ? "EC" : "RSA");
            if (algorithm.startsWith("ES")) {
                String bits = algorithm.substring(2);
                maker.initialize(new ECGenParameterSpec("secp" + bits + "r1"));
            } else {
                maker.initialize(2048);
            }
            return maker.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Removes a key. */
    public void remove(String id) {
        keys.remove(id);
    }

    /** Returns usual claims for a time, which tests then change. */
    public Map<String, Object> claims(long now) {
        Map<String, Object> claims = new TreeMap<>();
        claims.put("iss", name());
        claims.put("aud", "volute");
        claims.put("sub", "job:17");
        claims.put("iat", now);
        claims.put("exp", now + 300);
        return claims;
    }

    /** Returns a signed token. */
    public String token(String id, String algorithm, Map<String, ?> claims) {
        return token(Map.of("alg", algorithm, "kid", id, "typ", "JWT"), keys.get(id), claims);
    }

    /** Returns a token with a header, signed by the algorithm that it names. */
    public static String token(Map<String, ?> header, KeyPair pair, Map<String, ?> claims) {
        String signed = encoded(Json.write(header)) + "." + encoded(Json.write(claims));
        String algorithm = String.valueOf(header.get("alg"));
        String hash = "SHA" + algorithm.substring(2) + "with";
        try {
            Signature maker =
                    Signature.getInstance(
                            hash + (algorithm.startsWith("ES") ? "ECDSAinP1363Format" : "RSA"));
            maker.initSign(pair.getPrivate());
            maker.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + encoded(maker.sign());
        } catch (GeneralSecurityException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    /** Returns bytes in base64url. */
    public static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
