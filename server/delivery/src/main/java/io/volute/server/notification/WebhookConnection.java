package io.volute.server.notification;

import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.AnswerReader.Answer;
import io.volute.server.outbound.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import javax.net.ssl.SSLSocketFactory;

/** A connection to a webhook. One thread posts; another may close. */
final class WebhookConnection implements AutoCloseable {
    /** Time for a connection, a request and its answer. */
    private static final Duration MOST_TIME = Duration.ofSeconds(30);

    private final URI url;
    private final Optional<Path> token;
    private final HttpExchange http;

    WebhookConnection(
            URI url,
            Addresses addresses,
            SSLSocketFactory tls,
            Optional<Path> token,
            ScheduledExecutorService deadlines) {
        this.url = url;
        this.token = token;
        this.http = new HttpExchange(url, addresses, tls, MOST_TIME, deadlines);
    }

    /**
     * Posts a document.
     *
     * @throws IOException when the other side did not answer that it has the document
     */
    void post(byte[] document) throws IOException {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-type", "application/json");
        headers.put("content-length", Integer.toString(document.length));
        if (token.isPresent()) {
            headers.put("authorization", authorization(token.get()));
        }
        Answer answer =
                http.send(
                        "POST", path + query, headers, out -> out.write(document), document.length);
        if (answer.status() / 100 != 2) {
            throw new IOException(url + " answered with " + answer.status());
        }
    }

    /** Reads the token for each request: it may be renewed while the server runs. */
    static String authorization(Path token) throws IOException {
        return "Bearer " + SecretFile.line("the token file", token);
    }

    @Override
    public void close() {
        http.close();
    }
}
