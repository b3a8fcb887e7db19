package io.volute.admin.client;

import io.volute.server.auth.sigv4.RequestSigner;
import io.volute.server.json.Json;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/** Asks a server's admin API. */
public final class AdminClient implements AutoCloseable {
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(10);

    /** The server refused; the message is its own. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String code;

        public RefusedException(String message) {
            this("", message);
        }

        public RefusedException(String code, String message) {
            super(message);
            this.code = code;
        }

        /** Returns true if the error has the given code. */
        public boolean isOf(String other) {
            return code.equals(other);
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

    public Map<String, Object> get(String path) throws IOException, InterruptedException {
        return get(path, Map.of());
    }

    public Map<String, Object> get(String path, Map<String, String> parameters)
            throws IOException, InterruptedException {
        return send("GET", path, RequestSigner.query(parameters), new byte[0]);
    }

    public Map<String, Object> post(String path, Map<String, ?> document)
            throws IOException, InterruptedException {
        return send("POST", path, "", Json.write(document));
    }

    public Map<String, Object> put(String path, Map<String, ?> document)
            throws IOException, InterruptedException {
        return send("PUT", path, "", Json.write(document));
    }

    /**
     * @throws RefusedException when the server answers with an error
     * @throws IOException when it cannot be reached
     */
    private Map<String, Object> send(String method, String path, String query, byte[] body)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                exchange(method, path, query, body, HttpResponse.BodyHandlers.ofByteArray());
        Map<String, Object> document = document(response.statusCode(), response.body());
        if (response.statusCode() / 100 != 2) {
            throw refused(response.statusCode(), document);
        }
        return document;
    }

    /** Downloads an answer into a file that others may read. The content is not checked. */
    public long download(String path, Map<String, String> parameters, Path file)
            throws IOException, InterruptedException {
        return download(path, parameters, target -> WholeFile.write(file, Readers.USUAL, target));
    }

    /** The receiver of a downloaded answer. */
    public interface Target {
        void take(DurableFile.Content answer) throws IOException;
    }

    /**
     * What time it is for the server, to the second.
     *
     * @throws RefusedException when what answers does not say
     */
    public Instant serverTime() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint.resolve("/health/live")).build();
        HttpResponse<Void> response = exchange(request, HttpResponse.BodyHandlers.discarding());
        try {
            return response.headers()
                    .firstValue("date")
                    .map(date -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)))
                    .orElseThrow(() -> new RefusedException(endpoint + " does not say the time"));
        } catch (DateTimeException e) {
            throw new RefusedException(endpoint + " says the time as nobody does");
        }
    }

    /**
     * Gives what the server answers to a target.
     *
     * @return its bytes
     */
    public long download(String path, Map<String, String> parameters, Target target)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                exchange(
                        "GET",
                        path,
                        RequestSigner.query(parameters),
                        new byte[0],
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() / 100 != 2) {
                throw refused(
                        response.statusCode(),
                        document(response.statusCode(), body.readAllBytes()));
            }
            long[] bytes = new long[1];
            target.take(out -> bytes[0] = body.transferTo(out));
            return bytes[0];
        }
    }

    private <T> HttpResponse<T> exchange(
            String method,
            String path,
            String query,
            byte[] body,
            HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                endpoint.resolve(query.isEmpty() ? path : path + "?" + query))
                        .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        signer.headers(method, endpoint.getRawAuthority(), path, query, body, clock.instant())
                .forEach(request::header);
        return exchange(request.build(), handler);
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        try {
            return http.send(request, handler);
        } catch (IOException e) {
            throw new IOException("cannot reach " + endpoint + ": " + why(e), e);
        }
    }

    private String why(IOException e) {
        if (e instanceof ConnectException) {
            try {
                InetAddress known = InetAddress.getByName(endpoint.getHost());
                return "connection refused: is the server running? (" + known + ")";
            } catch (UnknownHostException unknown) {
                return "no host of that name: check --endpoint (" + unknown.getMessage() + ")";
            }
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private Map<String, Object> document(int status, byte[] body) throws RefusedException {
        try {
            return Json.read(body);
        } catch (IOException e) {
            throw new RefusedException(
                    endpoint
                            + " answered "
                            + status
                            + " and no JSON: is it a Volute server of this version, and"
                            + " is its admin API there (admin.address)?");
        }
    }

    private static RefusedException refused(int status, Map<String, Object> document) {
        String code = document.getOrDefault("code", status).toString();
        return new RefusedException(
                code,
                code
                        + ": "
                        + document.getOrDefault("message", "")
                        + " (request "
                        + document.getOrDefault("requestId", "unknown")
                        + ")");
    }

    @Override
    public void close() {
        http.close();
    }
}
