package io.volute.server.encryption;

import io.volute.server.LogText;
import io.volute.server.config.VaultConfig;
import io.volute.server.json.Json;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.HttpCalls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls of the HTTP API of the configured service. A call has bounds of time and size. Thread-safe.
 */
final class VaultClient implements AutoCloseable {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(2);
    private static final int MOST_ANSWER_BYTES = 64 * 1024;

    /** More calls wait for their turn: a slow service must not get a connection a request. */
    private static final int MOST_CALLS = 64;

    private final VaultConfig config;
    private final Duration time;
    private final HttpCalls http;
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
        http = new HttpCalls("encryption.vault.ca-file", config.authorities(), CONNECT_TIME);
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
        URI uri = config.address().resolve("/v1/" + path);
        // The bound of the whole call passes first.
        Duration longer = time.multipliedBy(2);
        return within(() -> http.send(method, uri, headers, content, longer, MOST_ANSWER_BYTES));
    }

    private Answer within(Callable<HttpCalls.Answer> request) throws IOException {
        FutureTask<Answer> task = new FutureTask<>(() -> inTurn(request));
        Thread.ofVirtual().name("vault-call").start(task);
        try {
            return task.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + time.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(LogText.reason(cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            task.cancel(true);
        }
    }

    private Answer inTurn(Callable<HttpCalls.Answer> request) throws Exception {
        turns.acquire();
        try {
            HttpCalls.Answer answer = request.call();
            if (answer.isCut()) {
                throw new IOException("the answer is longer than " + MOST_ANSWER_BYTES);
            }
            return new Answer(answer.status(), document(answer.body()));
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

    @Override
    public void close() {
        http.close();
    }
}
