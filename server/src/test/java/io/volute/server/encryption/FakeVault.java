package io.volute.server.encryption;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.volute.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The part of Vault's API that the server uses, over TLS on a loopback address, with the statuses
 * and errors of Vault 1.21.
 */
public final class FakeVault implements AutoCloseable {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final int NONCE_BYTES = 12;

    private final Path certificate;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SecureRandom random = new SecureRandom();

    /** Versions of the keys by name, from the first on. */
    private final Map<String, List<byte[]>> keys = new ConcurrentHashMap<>();

    private final Map<String, Long> oldest = new ConcurrentHashMap<>();

    /** Seconds that are left of the life of each token, of {@link #LIFE}. */
    public final Map<String, Long> tokens = new ConcurrentHashMap<>();

    /** The life of a token, in seconds. */
    public static final long LIFE = 3600;

    /** Method, namespace and path of the requests so far. */
    public final List<String> requests = new CopyOnWriteArrayList<>();

    /** Answers each request, if it is set. */
    public volatile Optional<Answer> answer = Optional.empty();

    /** The secret id that AppRole takes for the role {@code volute}. */
    public volatile String secretId = "secret-1";

    /** An answer in place of the usual one. */
    @FunctionalInterface
    public interface Answer {
        /** Answers. */
        void to(HttpExchange exchange) throws IOException;
    }

    /**
     * Starts with an empty engine.
     *
     * @param directory keeps the certificate, the same for all that start there
     */
    public FakeVault(Path directory) throws IOException {
        certificate = directory.resolve("vault.pem");
        server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(tls(directory.resolve("vault.p12"))));
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private SSLContext tls(Path store) throws IOException {
        try {
            if (!Files.exists(store)) {
                make(store);
            }
            KeyStore own = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                own.load(in, PASSWORD);
            }
            String pem =
                    Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(own.getCertificate("server").getEncoded());
            Files.writeString(
                    certificate,
                    "-----BEGIN CERTIFICATE-----\n" + pem + "\n-----END CERTIFICATE-----\n");
            KeyManagerFactory managers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(own, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static void make(Path store) throws IOException {
        try {
            Process keytool =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "keytool")
                                            .toString(),
                                    "-genkeypair",
                                    "-alias",
                                    "server",
                                    "-keyalg",
                                    "EC",
                                    "-groupname",
                                    "secp256r1",
                                    "-dname",
                                    "CN=vault",
                                    "-ext",
                                    "san=ip:127.0.0.1",
                                    "-storetype",
                                    "PKCS12",
                                    "-keystore",
                                    store.toString(),
                                    "-storepass",
                                    new String(PASSWORD))
                            .redirectErrorStream(true)
                            .start();
            String said =
                    new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Returns the PEM file with the certificate. */
    public Path certificate() {
        return certificate;
    }

    /** Returns the address of the service. */
    public URI address() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Adds a version to a key, or makes it. */
    public void rotate(String name) {
        byte[] key = new byte[32];
        random.nextBytes(key);
        keys.computeIfAbsent(name, each -> new CopyOnWriteArrayList<>()).add(key);
    }

    /** Sets the oldest version with which a key decrypts. */
    public void minDecryptionVersion(String name, long version) {
        oldest.put(name, version);
    }

    /** Returns an answer with a status and an error. */
    public static Answer error(int status, String message) {
        return exchange -> send(exchange, status, Map.of("errors", List.of(message)));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            String namespace = exchange.getRequestHeaders().getFirst("X-Vault-Namespace");
            requests.add(
                    exchange.getRequestMethod()
                            + " "
                            + (namespace == null ? "" : namespace + " ")
                            + path);
            if (answer.isPresent()) {
                answer.get().to(exchange);
                return;
            }
            Map<String, Object> asked = body.length == 0 ? Map.of() : Json.read(body);
            if (path.equals("/v1/auth/approle/login")) {
                login(exchange, asked);
                return;
            }
            String token = exchange.getRequestHeaders().getFirst("X-Vault-Token");
            if (token == null || !tokens.containsKey(token)) {
                error(403, "permission denied").to(exchange);
                return;
            }
            switch (path) {
                case "/v1/auth/token/lookup-self" ->
                        send(
                                exchange,
                                200,
                                Map.of(
                                        "data",
                                        Map.of(
                                                "ttl",
                                                tokens.get(token),
                                                "creation_ttl",
                                                LIFE,
                                                "renewable",
                                                true)));
                case "/v1/auth/token/renew-self" -> {
                    tokens.put(token, LIFE);
                    send(exchange, 200, Map.of("auth", Map.of("client_token", token)));
                }
                default -> transit(exchange, path.split("/"), asked);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void login(HttpExchange exchange, Map<String, Object> asked) throws IOException {
        if (!"volute".equals(asked.get("role_id")) || !secretId.equals(asked.get("secret_id"))) {
            error(400, "invalid role or secret ID").to(exchange);
            return;
        }
        String token = "hvs." + random.nextLong(Long.MAX_VALUE);
        tokens.put(token, LIFE);
        send(exchange, 200, Map.of("auth", Map.of("client_token", token, "renewable", true)));
    }

    private void transit(HttpExchange exchange, String[] path, Map<String, Object> asked)
            throws IOException, GeneralSecurityException {
        if (path.length != 5 || !path[2].equals("transit")) {
            error(404, "no handler for route").to(exchange);
            return;
        }
        List<byte[]> versions = keys.get(path[4]);
        if (versions == null) {
            error(400, "encryption key not found").to(exchange);
        } else if (path[3].equals("encrypt")) {
            byte[] plain = Base64.getDecoder().decode((String) asked.get("plaintext"));
            byte[] nonce = new byte[NONCE_BYTES];
            random.nextBytes(nonce);
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, versions.getLast(), nonce).doFinal(plain);
            byte[] all =
                    ByteBuffer.allocate(NONCE_BYTES + sealed.length).put(nonce).put(sealed).array();
            String text =
                    "vault:v" + versions.size() + ":" + Base64.getEncoder().encodeToString(all);
            send(
                    exchange,
                    200,
                    Map.of("data", Map.of("ciphertext", text, "key_version", versions.size())));
        } else {
            decrypt(exchange, path[4], versions, ((String) asked.get("ciphertext")).split(":"));
        }
    }

    private void decrypt(
            HttpExchange exchange, String name, List<byte[]> versions, String[] ciphertext)
            throws IOException {
        int version = Integer.parseInt(ciphertext[1].substring(1));
        if (version < oldest.getOrDefault(name, 1L)) {
            error(400, "ciphertext or signature version is disallowed by policy (too old)")
                    .to(exchange);
            return;
        }
        byte[] all = Base64.getDecoder().decode(ciphertext[2]);
        try {
            byte[] plain =
                    cipher(
                                    Cipher.DECRYPT_MODE,
                                    versions.get(version - 1),
                                    Arrays.copyOf(all, NONCE_BYTES))
                            .doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
            String text = Base64.getEncoder().encodeToString(plain);
            send(exchange, 200, Map.of("data", Map.of("plaintext", text)));
        } catch (GeneralSecurityException e) {
            error(400, "cipher: message authentication failed").to(exchange);
        }
    }

    private static Cipher cipher(int mode, byte[] key, byte[] nonce)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
        return cipher;
    }

    private static void send(HttpExchange exchange, int status, Map<String, ?> document)
            throws IOException {
        byte[] bytes = Json.write(document);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
