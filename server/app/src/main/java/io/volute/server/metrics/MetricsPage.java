package io.volute.server.metrics;

import io.volute.server.config.ServerConfig.MetricsListener;
import io.volute.server.metrics.status.Status;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code GET /metrics}, and {@code GET /} with a page for a person, on a listener of its
 * own. Neither Prometheus nor a browser can sign requests as S3's clients do: access is limited by
 * the listener's address, by the requested host, and by a token if there is one.
 */
public final class MetricsPage implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPage.class);
    private static final String PATH = "/metrics";
    private static final String BASIC = "Basic ";
    private static final List<Header> PLAIN = ofType("text/plain; charset=utf-8");
    private static final List<Header> PROMETHEUS =
            ofType("text/plain; version=0.0.4; charset=utf-8");
    private static final String STATUS_PATH = "/";
    private static final List<Header> HTML =
            List.of(
                    new Header("content-type", "text/html; charset=utf-8"),
                    new Header("cache-control", "no-store"),
                    // Nothing of what a user is called may run, even if it were not escaped.
                    new Header(
                            "content-security-policy",
                            "default-src 'none'; style-src 'unsafe-inline';"
                                    + " frame-ancestors 'none'"),
                    new Header("x-content-type-options", "nosniff"));

    private final Map<String, Page> pages;
    private final Optional<Token> expected;
    private final PageHosts hosts;

    /** The content of a page, and its media type. */
    private record Page(List<Header> type, Supplier<byte[]> content) {}

    /**
     * The token as Prometheus sends it, and as a browser does that has asked a person for it: as
     * the password of any name.
     */
    private record Token(byte[] bearer, byte[] password) {
        /** Compares the token in constant time, so that nobody can guess it letter by letter. */
        boolean isShown(String authorization) {
            return MessageDigest.isEqual(bearer, bytes(authorization))
                    || authorization.startsWith(BASIC)
                            && MessageDigest.isEqual(password, password(authorization));
        }

        private static byte[] password(String authorization) {
            try {
                String pair =
                        new String(
                                Base64.getDecoder().decode(authorization.substring(BASIC.length())),
                                StandardCharsets.UTF_8);
                return bytes(pair.substring(pair.indexOf(':') + 1));
            } catch (IllegalArgumentException e) {
                LOG.trace("no base 64", e);
                return new byte[0];
            }
        }
    }

    /**
     * @param token the token that requests must carry; empty when none is required
     * @param listener names the hosts of this page
     */
    public MetricsPage(
            Metrics metrics, Status status, Optional<String> token, MetricsListener listener) {
        this.pages =
                Map.of(
                        PATH, new Page(PROMETHEUS, () -> bytes(metrics.scrape())),
                        STATUS_PATH, new Page(HTML, status::page));
        this.hosts = new PageHosts(listener);
        this.expected = token.map(text -> new Token(bytes("Bearer " + text), bytes(text)));
    }

    private static List<Header> ofType(String type) {
        return List.of(new Header("content-type", type));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        if (!hosts.serve(head.headers().first("host"))) {
            return page(
                    421,
                    PLAIN,
                    "this host name is not configured: ask by IP address, or add the name to"
                            + " metrics.hosts\n");
        }
        if (!isAllowed(head)) {
            return new S3Response(
                    401,
                    List.of(
                            PLAIN.getFirst(),
                            new Header("www-authenticate", "Basic realm=\"volute\""),
                            new Header("www-authenticate", "Bearer")),
                    new Content.Bytes(
                            bytes(
                                    "send the token of metrics.token-file as a bearer token, or"
                                            + " as the password of any name\n")));
        }
        Page page = pages.get(head.rawPath());
        if (page == null) {
            return page(404, PLAIN, "metrics are at " + PATH + ", a page to look at is at /\n");
        }
        if (!head.method().equals("GET")) {
            return page(405, PLAIN, head.rawPath() + " takes GET\n");
        }
        try {
            return new S3Response(200, page.type(), new Content.Bytes(page.content().get()));
        } catch (RuntimeException e) {
            LOG.error("request {}: cannot read the metrics", head.requestId(), e);
            return page(500, PLAIN, "cannot read the metrics: see the server's log\n");
        }
    }

    private boolean isAllowed(HttpHead head) {
        return expected.isEmpty()
                || expected.get().isShown(head.headers().first("authorization").orElse(""));
    }

    private static S3Response page(int status, List<Header> type, String text) {
        return new S3Response(status, type, new Content.Bytes(bytes(text)));
    }
}
