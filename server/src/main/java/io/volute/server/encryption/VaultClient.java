package io.volute.server.encryption;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import io.volute.server.OutgoingAddresses;
import io.volute.server.config.VaultConfig;
import io.volute.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls of the HTTP API of the configured service. A call has bounds of time and size, and follows
 * no redirect. TLS proves the name of the service. Thread-safe.
 */
final class VaultClient implements AutoCloseable {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(2);
    private static final int MOST_ANSWER_BYTES = 64 * 1024;

    /** More calls wait for their turn: a slow service must not get a connection a request. */
    private static final int MOST_CALLS = 64;

    private final VaultConfig config;
    private final Duration time;
    private final HttpClient http;
    private final Semaphore turns = new Semaphore(MOST_CALLS);

    /**
     * The answer of the service.
     *
     * @param document empty when the answer has no JSON object
     */
    record Answer(int status, Map<String, Object> document) {

        /** Returns an object within the document; empty when there is none. */
        Map<?, ?> part(String name) {
            return document.get(name) instanceof Map<?, ?> part ? part : Map.of();
        }

        /** Returns the first error that the service names. */
        String error() {
            return document.get("errors") instanceof List<?> errors && !errors.isEmpty()
                    ? LogText.of(String.valueOf(errors.getFirst()))
                    : "status " + status;
        }
    }

    /**
     * @param time of a call, with the wait for its turn
     * @throws IOException if the certificates of the settings cannot be used
     */
    VaultClient(VaultConfig config, Duration time) throws IOException {
        this.config = config;
        this.time = time;
        http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT_TIME)
                        .sslContext(
                                Authorities.trusted(
                                        "encryption.vault.ca-file", config.authorities()))
                        .build();
    }

    /**
     * Calls a path below {@code /v1/}.
     *
     * @param token empty to log in
     * @param body empty for a GET
     * @throws IOException if there is no answer in time; the message names the reason
     */
    Answer call(String path, Optional<String> token, Optional<Map<String, ?>> body)
            throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(config.address().resolve("/v1/" + path));
        token.ifPresent(text -> request.header("X-Vault-Token", text));
        config.namespace().ifPresent(text -> request.header("X-Vault-Namespace", text));
        // Keeps pages of other sites from calls with the token of a local agent.
        request.header("X-Vault-Request", "true");
        body.ifPresent(
                document ->
                        request.header("content-type", "application/json")
                                .POST(BodyPublishers.ofByteArray(Json.write(document))));
        return within(request.build());
    }

    private Answer within(HttpRequest request) throws IOException {
        FutureTask<Answer> task = new FutureTask<>(() -> inTurn(request));
        Thread.ofVirtual().name("vault-call").start(task);
        try {
            return task.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + time.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            String why =
                    Optional.ofNullable(cause.getMessage())
                            .orElse(cause.getClass().getSimpleName());
            throw new IOException(LogText.of(why), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            task.cancel(true);
        }
    }

    private Answer inTurn(HttpRequest request) throws IOException, InterruptedException {
        turns.acquire();
        try {
            checkAddress(request.uri());
            HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                byte[] body = in.readNBytes(MOST_ANSWER_BYTES + 1);
                if (body.length > MOST_ANSWER_BYTES) {
                    throw new IOException("the answer is longer than " + MOST_ANSWER_BYTES);
                }
                return new Answer(response.statusCode(), document(body));
            }
        } finally {
            turns.release();
        }
    }

    private static Map<String, Object> document(byte[] body) {
        try {
            return Json.read(body);
        } catch (IOException e) {
            // A proxy answers in HTML, and the service may answer with nothing.
            return Map.of();
        }
    }

    private static void checkAddress(URI uri) throws IOException {
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        for (InetAddress each : InetAddress.getAllByName(host)) {
            if (OutgoingAddresses.isForbidden(each)) {
                throw new IOException(
                        uri.getHost()
                                + " has the address "
                                + each.getHostAddress()
                                + ", which is not allowed");
            }
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
