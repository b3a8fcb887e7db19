package io.volute.server.http;

import io.netty.util.ResourceLeakDetector;
import io.volute.server.http.HttpSettings.BodyRate;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** A real server on a free loopback port, with a small handler, and what that handler saw. */
final class ServerUnderTest implements AutoCloseable {
    static {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    private final ConcurrentLinkedQueue<HttpHead> heads = new ConcurrentLinkedQueue<>();
    private final HttpServer server;

    ServerUnderTest(S3Handler handler) throws IOException {
        this(handler, caps(), Timeouts.defaults());
    }

    ServerUnderTest(S3Handler handler, Caps caps, Timeouts timeouts) throws IOException {
        this(handler, settings(caps, timeouts));
    }

    /** Creates a server whose time passes only under the control of the test. */
    ServerUnderTest(S3Handler handler, Timeouts timeouts, MovedDeadlines deadlines)
            throws IOException {
        this(handler, RequestWatch.NONE, settings(caps(), timeouts), deadlines);
    }

    ServerUnderTest(S3Handler handler, HttpSettings settings) throws IOException {
        this(handler, RequestWatch.NONE, settings, LoopDeadline::new);
    }

    /** Creates a server with a watch. */
    ServerUnderTest(S3Handler handler, RequestWatch watch) throws IOException {
        this(handler, watch, settings(caps(), Timeouts.defaults()), LoopDeadline::new);
    }

    private ServerUnderTest(
            S3Handler handler, RequestWatch watch, HttpSettings settings, Deadline.Source deadlines)
            throws IOException {
        HttpServer.Service service =
                new HttpServer.Service(
                        (head, body) -> {
                            heads.add(head);
                            return handler.handle(head, body);
                        },
                        HttpServer.Readiness.ALWAYS,
                        watch);
        server =
                HttpServer.start(
                        settings,
                        () -> service,
                        () -> Instant.parse("2026-01-02T03:04:05Z"),
                        new Random(42),
                        deadlines);
    }

    private static HttpSettings settings(Caps caps, Timeouts timeouts) {
        return new HttpSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                caps,
                timeouts);
    }

    static Caps caps() {
        return Caps.defaults();
    }

    /** Timeouts that cannot pass, but for those replaced. */
    static Timeouts patient() {
        Duration long_ = Duration.ofHours(1);
        return new Timeouts(long_, long_, long_, long_, long_, new BodyRate(1, long_));
    }

    HttpServer server() {
        return server;
    }

    RawConnection connect() throws IOException {
        return new RawConnection(server.address());
    }

    List<HttpHead> heads() {
        return new ArrayList<>(heads);
    }

    static S3Response text(int status, String text) {
        return new S3Response(
                status,
                List.of(),
                new S3Response.Content.Bytes(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** Returns a handler that signals its start, and answers after a second signal. */
    static S3Handler late(CountDownLatch running, CountDownLatch go) {
        return (head, body) -> {
            running.countDown();
            BodyTest.await(go);
            return text(200, "late");
        };
    }

    /** Reads the body to its end and answers with its length. */
    static S3Response count(HttpHead head, RequestBody body) {
        long bytes = 0;
        try {
            while (body.next()) {
                bytes += body.buffer().remaining();
            }
        } catch (IOException e) {
            return text(400, "failed: " + e.getMessage());
        }
        return text(200, head.method() + " " + bytes);
    }

    @Override
    public void close() {
        server.close();
    }
}
