package io.volute.server.metrics;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.config.ConfigSource;
import io.volute.server.startup.Server;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A whole server in this process that publishes metrics, and clients of both of its listeners. */
public final class RunningServer implements AutoCloseable {
    public static final String KEY = "admin";
    public static final String SECRET = "correct-horse";

    private final Server server;
    private final HttpClient client = HttpClient.newHttpClient();

    /**
     * @param more settings besides, by key; {@code config} names a configuration file
     */
    public RunningServer(Path data, Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        Optional<Path> file = Optional.ofNullable(settings.remove("config")).map(Path::of);
        settings.put("data.directory", data.toString());
        settings.put("server.listen", "127.0.0.1:0");
        settings.putIfAbsent("metrics.listen", "127.0.0.1:0");
        server =
                Server.start(
                        ConfigSource.read(file, Map.of(), settings),
                        Map.of("VOLUTE_ACCESS_KEY", KEY, "VOLUTE_SECRET_KEY", SECRET));
    }

    /** Itself. */
    public Server server() {
        return server;
    }

    /** A signed request; returns its status. */
    public int send(String method, String path, byte[] body) throws Exception {
        return exchange(method, path, body).statusCode();
    }

    /**
     * A signed request; returns its answer.
     *
     * @param target path, and perhaps a query as it is signed
     */
    public HttpResponse<String> exchange(String method, String target, byte[] body)
            throws Exception {
        return exchange(method, target, body, Map.of());
    }

    /**
     * Sends a signed request, and returns its answer.
     *
     * @param unsigned additional headers outside the signature
     */
    public HttpResponse<String> exchange(
            String method, String target, byte[] body, Map<String, String> unsigned)
            throws Exception {
        String host = "127.0.0.1:" + server.address().getPort();
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://" + host + target))
                        .method(method, BodyPublishers.ofByteArray(body));
        unsigned.forEach(request::header);
        new RequestSigner(KEY, SECRET, "us-east-1")
                .headers(method, host, path, query, body, Instant.now())
                .forEach(
                        (name, value) -> {
                            if (!name.equals("host")) {
                                request.header(name, value);
                            }
                        });
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends a request to the listener of metrics, and returns its answer. */
    public HttpResponse<String> ask(String method, String path, Map<String, String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:"
                                                + server.metricsAddress().orElseThrow().getPort()
                                                + path))
                        .method(method, BodyPublishers.noBody());
        headers.forEach(request::header);
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Scrapes until a scrape is as wanted: a request is counted after its client has gone on. */
    public String scrapeUntil(Predicate<String> wanted) throws Exception {
        String seen = ask("GET", "/metrics", Map.of()).body();
        while (!wanted.test(seen)) {
            Thread.onSpinWait();
            seen = ask("GET", "/metrics", Map.of()).body();
        }
        return seen;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
