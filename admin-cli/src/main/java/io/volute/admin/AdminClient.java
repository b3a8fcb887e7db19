package io.volute.admin;

import io.volute.server.admin.Json;
import io.volute.server.auth.sigv4.RequestSigner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/** Asks a server's admin API. */
final class AdminClient implements AutoCloseable {
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(10);

    /** The server refused; the message is its own. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    private final URI endpoint;
    private final RequestSigner signer;
    private final InstantSource clock;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_TIME_MAX)
                    .build();

    /**
     * @param endpoint scheme, host and port
     */
    AdminClient(URI endpoint, RequestSigner signer, InstantSource clock) {
        this.endpoint = endpoint;
        this.signer = signer;
        this.clock = clock;
    }

    Map<String, Object> get(String path) throws IOException, InterruptedException {
        return get(path, Map.of());
    }

    Map<String, Object> get(String path, Map<String, String> parameters)
            throws IOException, InterruptedException {
        return send("GET", path, RequestSigner.query(parameters), new byte[0]);
    }

    Map<String, Object> post(String path, Map<String, ?> document)
            throws IOException, InterruptedException {
        return send("POST", path, "", Json.write(document));
    }

    Map<String, Object> put(String path, Map<String, ?> document)
            throws IOException, InterruptedException {
        return send("PUT", path, "", Json.write(document));
    }

    /**
     * @throws RefusedException when the server answers with an error
     * @throws IOException when it cannot be reached
     */
    private Map<String, Object> send(String method, String path, String query, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                endpoint.resolve(query.isEmpty() ? path : path + "?" + query))
                        .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        signer.headers(method, endpoint.getRawAuthority(), path, query, body, clock.instant())
                .forEach(request::header);
        HttpResponse<byte[]> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new IOException("cannot reach " + endpoint + ": " + why, e);
        }
        Map<String, Object> document;
        try {
            document = Json.read(response.body());
        } catch (IOException e) {
            throw new RefusedException(
                    endpoint
                            + " answered "
                            + response.statusCode()
                            + " and no JSON: is it a Volute server of this version?");
        }
        if (response.statusCode() / 100 != 2) {
            throw new RefusedException(
                    document.getOrDefault("code", response.statusCode())
                            + ": "
                            + document.getOrDefault("message", "")
                            + " (request "
                            + document.getOrDefault("requestId", "unknown")
                            + ")");
        }
        return document;
    }

    @Override
    public void close() {
        http.close();
    }
}
