package io.volute.server.encryption;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import io.volute.server.config.VaultConfig;
import io.volute.server.json.Json;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.HttpClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calls of the HTTP API of the configured service. A call has bounds of time and size. Thread-safe.
 */
final class VaultClient implements AutoCloseable {
    private static final int MOST_ANSWER_BYTES = 64 * 1024;

    private final VaultConfig config;
    private final Duration time;
    private final HttpClient http;

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
                new HttpClient(
                        config.address(),
                        new Addresses(Addresses.Resolver.OF_SYSTEM, true, Plain.ON_LOOPBACK),
                        Authorities.trusted("encryption.vault.ca-file", config.authorities())
                                .getSocketFactory());
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
        Map<String, String> headers = new HashMap<>();
        token.ifPresent(text -> headers.put("X-Vault-Token", text));
        config.namespace().ifPresent(text -> headers.put("X-Vault-Namespace", text));
        // Keeps pages of other sites from calls with the token of a local agent.
        headers.put("X-Vault-Request", "true");
        body.ifPresent(document -> headers.put("content-type", "application/json"));
        String method = body.isPresent() ? "POST" : "GET";
        Content content = body.map(each -> Content.of(Json.write(each))).orElse(Content.NONE);
        HttpClient.Request request =
                new HttpClient.Request(method, "/v1/" + path, headers, content);
        try {
            HttpClient.Answer answer = http.send(request, time, MOST_ANSWER_BYTES);
            return new Answer(answer.status(), document(answer.body()));
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(LogText.reason(e), e);
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

    @Override
    public void close() {
        http.close();
    }
}
