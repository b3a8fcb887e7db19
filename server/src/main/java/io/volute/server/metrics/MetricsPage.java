package io.volute.server.metrics;

import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code GET /metrics} on a listener of its own. Prometheus cannot sign requests as S3's
 * clients do: who may ask is decided by who reaches the listener, and by a token if there is one.
 */
public final class MetricsPage implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPage.class);
    private static final String PATH = "/metrics";
    private static final List<Header> PLAIN = ofType("text/plain; charset=utf-8");
    private static final List<Header> PROMETHEUS =
            ofType("text/plain; version=0.0.4; charset=utf-8");

    private final Metrics metrics;
    private final Optional<byte[]> expected;

    /**
     * @param token that must be shown; empty: none is asked for
     */
    public MetricsPage(Metrics metrics, Optional<String> token) {
        this.metrics = metrics;
        this.expected = token.map(text -> bytes("Bearer " + text));
    }

    private static List<Header> ofType(String type) {
        return List.of(new Header("content-type", type));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        if (!isAllowed(head)) {
            return new S3Response(
                    401,
                    List.of(PLAIN.getFirst(), new Header("www-authenticate", "Bearer")),
                    new Content.Bytes(
                            bytes("send the token of metrics.token-file as a bearer token\n")));
        }
        if (!head.rawPath().equals(PATH)) {
            return page(404, PLAIN, "metrics are at " + PATH + "\n");
        }
        if (!head.method().equals("GET")) {
            return page(405, PLAIN, PATH + " takes GET\n");
        }
        try {
            return page(200, PROMETHEUS, metrics.scrape());
        } catch (RuntimeException e) {
            LOG.error("request {}: metrics cannot be told", head.requestId(), e);
            return page(500, PLAIN, "metrics cannot be told: see the server's log\n");
        }
    }

    /** In constant time, so that nobody can guess the token letter by letter. */
    private boolean isAllowed(HttpHead head) {
        return expected.isEmpty()
                || MessageDigest.isEqual(
                        expected.get(), bytes(head.headers().first("authorization").orElse("")));
    }

    private static S3Response page(int status, List<Header> type, String text) {
        return new S3Response(status, type, new Content.Bytes(bytes(text)));
    }
}
