package io.volute.server.outbound;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.outbound.Addresses.Plain;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Calls of other servers by HTTP/1.1, several at a time. They follow no redirect. A host with an
 * address that {@link Addresses} never allows gets no call; Java's client then resolves the name
 * again, so this check alone does not hold against a name whose answer changes. TLS proves the name
 * of the server. Thread-safe.
 *
 * <p>{@link HttpExchange} is for deliveries, which keep one connection to an address that was
 * checked.
 */
public final class HttpCalls implements AutoCloseable {
    private static final Addresses ADDRESSES =
            new Addresses(Addresses.Resolver.OF_SYSTEM, true, Plain.EVERYWHERE);

    private final HttpClient http;

    /**
     * @param setting that names the authorities, for messages
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     * @throws IOException if the certificates cannot be used; the message names the reason
     */
    public HttpCalls(String setting, Optional<Path> authorities, Duration connectTime)
            throws IOException {
        http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(connectTime)
                        .sslContext(Authorities.trusted(setting, authorities))
                        .build();
    }

    /**
     * An answer.
     *
     * @param body its first bytes when it is cut
     * @param isCut whether the body is longer than the call allows
     */
    public record Answer(int status, byte[] body, boolean isCut) {}

    /**
     * Sends a request, and returns the answer.
     *
     * @param time until the answer begins
     * @param mostBytes of the answer's body
     * @throws InterruptedIOException when the thread is interrupted, which it stays
     * @throws IOException when there is no answer; the message has the reason, or is null
     */
    public Answer send(
            String method,
            URI uri,
            Map<String, String> headers,
            Content content,
            Duration time,
            int mostBytes)
            throws IOException {
        ADDRESSES.ofHost(uri.getHost(), uri.getHost());
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).method(method, content.publisher()).timeout(time);
        headers.forEach(request::header);
        try {
            HttpResponse<InputStream> response =
                    http.send(request.build(), BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                byte[] body = in.readNBytes(mostBytes);
                return new Answer(response.statusCode(), body, in.read() >= 0);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
