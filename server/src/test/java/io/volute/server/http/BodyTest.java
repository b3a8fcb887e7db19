package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.http.HttpSettings.BodyRate;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies: pulled, bounded, timed; 100-continue; what a client does wrong in the middle of one. */
class BodyTest {
    private static final String CONTINUE = "Expect: 100-continue\r\n";

    private final BlockingQueue<String> events = new ArrayBlockingQueue<>(100);

    private S3Response countAndTell(HttpHead head, RequestBody body) {
        S3Response response = ServerUnderTest.count(head, body);
        events.add(
                new String(
                        ((S3Response.Content.Bytes) response.content()).bytes(),
                        StandardCharsets.UTF_8));
        return response;
    }

    private String event() throws InterruptedException {
        String event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).as("the handler ended").isNotNull();
        return event;
    }

    private static String put(String headers) {
        return "PUT /a HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
    }

    // ---- 100-continue

    @Test
    void sends100WhenTheHandlerReads() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 3\r\n" + CONTINUE));
            assertThat(client.readHead().status()).isEqualTo(100);
            client.send("abc");
            assertThat(client.read().text()).isEqualTo("PUT 3");
            // And the connection lives on.
            client.send(put("Content-Length: 1\r\n") + "x");
            assertThat(client.read().text()).isEqualTo("PUT 1");
        }
    }

    @Test
    void answersWithout100WhenTheHandlerDoesNotRead() throws IOException {
        try (ServerUnderTest server =
                        new ServerUnderTest((head, body) -> ServerUnderTest.text(403, "no"));
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 3\r\n" + CONTINUE));
            RawConnection.Response response = client.read();
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.header("connection")).hasValue("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void needsNo100WhenTheBodyCameAlong() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 3\r\n" + CONTINUE) + "abc");
            RawConnection.Response response = client.readHead();
            if (response.status() == 100) {
                response = client.read();
            }
            assertThat(response.status()).isEqualTo(200);
        }
    }

    @Test
    void tellsAClientWithoutBodyToGoOn() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 0\r\n" + CONTINUE));
            assertThat(client.readHead().status()).isEqualTo(100);
            assertThat(client.read().status()).isEqualTo(200);
            client.send(put("Content-Length: 3\r\n" + CONTINUE));
            assertThat(client.readHead().status()).isEqualTo(100);
            client.send("abc");
            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    @Test
    void ignoresOtherExpectations() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 3\r\nExpect: 200-ok\r\n") + "abc");
            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    // ---- pipelining

    @Test
    void finishesTheResponseThenRefusesThePipelinedRequest() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            String get = "GET /one HTTP/1.1\r\nHost: a\r\n\r\n";
            client.send(get + get);
            assertThat(client.read().text()).isEqualTo("GET 0");
            RawConnection.Response second = client.read();
            assertThat(second.status()).isEqualTo(400);
            assertThat(second.text()).contains("Pipelining");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.heads()).hasSize(1);
        }
    }

    @Test
    @Timeout(60)
    void refusesThePipelinedRequestThatArrivesWhileTheFirstIsAnswered() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest.late(running, go));
                RawConnection client = server.connect()) {
            client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n");
            await(running);
            client.send("GET /two HTTP/1.1\r\nHost: a\r\n\r\n");
            while (server.server().pipelinedRequests() == 0) {
                Thread.onSpinWait();
            }
            go.countDown();
            assertThat(client.read().text()).isEqualTo("late");
            assertThat(client.read().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.heads()).hasSize(1);
        }
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- unread bodies

    @Test
    void drainsASmallUnreadBody() throws IOException {
        try (ServerUnderTest server =
                        new ServerUnderTest((head, body) -> ServerUnderTest.text(403, "no"));
                RawConnection client = server.connect()) {
            byte[] body = new byte[Limits.DRAIN_BYTES_MAX];
            client.send(put("Content-Length: " + body.length + "\r\n"));
            client.send(body);
            RawConnection.Response first = client.read();
            assertThat(first.header("connection")).hasValue("keep-alive");
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(403);
        }
    }

    @Test
    void closesInsteadOfDrainingALargeBody() throws IOException {
        try (ServerUnderTest server =
                        new ServerUnderTest((head, body) -> ServerUnderTest.text(403, "no"));
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: " + (Limits.DRAIN_BYTES_MAX + 1) + "\r\n"));
            RawConnection.Response first = client.read();
            assertThat(first.status()).isEqualTo(403);
            assertThat(first.header("connection")).hasValue("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void closesWhenAChunkedBodyGoesOnForTooLong() throws IOException {
        try (ServerUnderTest server =
                        new ServerUnderTest((head, body) -> ServerUnderTest.text(403, "no"));
                RawConnection client = server.connect()) {
            client.send(put("Transfer-Encoding: chunked\r\n"));
            assertThat(client.read().status()).isEqualTo(403);
            byte[] chunk =
                    ("10000\r\n" + "a".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.UTF_8);
            int sent = 0;
            try {
                while (sent < 1000) {
                    client.send(chunk);
                    sent++;
                }
            } catch (IOException e) {
                assertThat(sent).isGreaterThan(Limits.DRAIN_BYTES_MAX / chunk.length);
            }
            assertThat(sent).as("64 MiB were not taken").isLessThan(1000);
        }
    }

    // ---- back-pressure

    @Test
    @Tag("slow")
    void stopsReadingWhenTheHandlerDoesNotRead() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ServerUnderTest server =
                        new ServerUnderTest(
                                (head, body) -> {
                                    try {
                                        // Once, so that the server begins to read ahead.
                                        body.next();
                                    } catch (IOException e) {
                                        return ServerUnderTest.text(400, "early");
                                    }
                                    await(go);
                                    return countAndTell(head, body);
                                },
                                Caps.defaults(),
                                ServerUnderTest.patient());
                RawConnection client = server.connect()) {
            long length = 256L << 20;
            client.send(put("Content-Length: " + length + "\r\n"));
            byte[] block = new byte[1 << 16];
            CountDownLatch stuck = new CountDownLatch(1);
            AtomicLong sent = new AtomicLong();
            Thread sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            while (sent.get() < length) {
                                                client.send(block);
                                                sent.addAndGet(block.length);
                                            }
                                        } catch (IOException e) {
                                            events.add("sender: " + e);
                                        }
                                        stuck.countDown();
                                    });
            // Kernel buffers take some MiB; 256 MiB must not go through before the handler reads.
            long before = -1;
            while (sent.get() != before) {
                before = sent.get();
                assertThat(stuck.await(300, TimeUnit.MILLISECONDS)).isFalse();
            }
            assertThat(sent.get()).isLessThan(64L << 20);
            long used = Caps.defaults().bufferBytes() - server.server().freeBudgetBytes();
            assertThat(used).isLessThanOrEqualTo(Limits.READ_BYTES_MAX);
            go.countDown();
            assertThat(client.read().status()).isEqualTo(200);
            sender.join();
            assertThat(server.server().freeBudgetBytes()).isEqualTo(Caps.defaults().bufferBytes());
        }
    }

    @Test
    @Tag("slow")
    void takesTinyChunks() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Transfer-Encoding: chunked\r\n"));
            client.send("1\r\nx\r\n".repeat(100_000) + "0\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("PUT 100000");
        }
    }

    // ---- disconnects

    @Test
    void anEndInTheMiddleOfTheBodyFailsTheRead() throws Exception {
        try (ServerUnderTest server = new ServerUnderTest(this::countAndTell);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 10\r\n") + "abc");
            client.endInput();
            assertThat(event()).contains("failed").contains("closed");
            assertThat(client.read().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aResetInTheMiddleOfTheBodyFailsTheRead() throws Exception {
        try (ServerUnderTest server = new ServerUnderTest(this::countAndTell)) {
            RawConnection client = server.connect();
            client.send(put("Content-Length: 10\r\n" + CONTINUE));
            client.readHead();
            client.reset();
            assertThat(event()).contains("failed");
            awaitIdle(server);
        }
    }

    @Test
    void anEndBehindTheRequestStillGetsItsResponse() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 3\r\n") + "abc");
            client.endInput();
            assertThat(client.read().text()).isEqualTo("PUT 3");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anEndInTheHeadEndsTheConnection() throws Exception {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count);
                RawConnection client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nHo");
            client.endInput();
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.heads()).isEmpty();
        }
    }

    @Test
    void aResetWhileTheHandlerWorksEndsCleanly() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest.late(running, go))) {
            RawConnection client = server.connect();
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            await(running);
            client.reset();
            go.countDown();
            awaitIdle(server);
        }
    }

    static void awaitIdle(ServerUnderTest server) {
        long spins = 0;
        while (server.server().requests() > 0 || server.server().connections() > 0) {
            assertThat(++spins).as("requests and connections end").isLessThan(2_000_000_000L);
            Thread.onSpinWait();
        }
    }

    // ---- timeouts

    /** The time that a test lets pass; all other times are longer. */
    private static final Duration SHORT = Duration.ofMinutes(1);

    private final MovedDeadlines deadlines = new MovedDeadlines();

    private static Timeouts withBody(Duration idle, BodyRate rate) {
        Timeouts patient = ServerUnderTest.patient();
        return new Timeouts(
                patient.handshake(),
                patient.header(),
                patient.idle(),
                idle,
                patient.writeIdle(),
                rate);
    }

    @Test
    void aBodyThatStopsFailsTheRead() throws Exception {
        Timeouts timeouts = withBody(SHORT, new BodyRate(0, Duration.ofHours(1)));
        try (ServerUnderTest server = new ServerUnderTest(this::countAndTell, timeouts, deadlines);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 10\r\n") + "abc");
            deadlines.pass(SHORT, 1);
            assertThat(event()).contains("too slowly");
            RawConnection.Response response = client.read();
            assertThat(response.header("connection")).hasValue("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aBodyBelowTheRateFailsTheRead() throws Exception {
        Timeouts timeouts = withBody(Duration.ofHours(1), new BodyRate(1 << 20, SHORT));
        try (ServerUnderTest server = new ServerUnderTest(this::countAndTell, timeouts, deadlines);
                RawConnection client = server.connect()) {
            client.send(put("Content-Length: 10\r\n") + "abc");
            deadlines.pass(SHORT, 1);
            assertThat(event()).contains("too slowly");
            assertThat(client.read().status()).isEqualTo(400);
        }
    }

    @Test
    void aHeadThatDoesNotEndIsAnsweredAndClosed() throws Exception {
        Timeouts patient = ServerUnderTest.patient();
        Timeouts timeouts =
                new Timeouts(
                        patient.handshake(),
                        SHORT,
                        patient.idle(),
                        patient.bodyIdle(),
                        patient.writeIdle(),
                        patient.bodyRate());
        try (ServerUnderTest server =
                        new ServerUnderTest(ServerUnderTest::count, timeouts, deadlines);
                RawConnection client = server.connect();
                RawConnection silent = server.connect()) {
            // Behind a first request, the time runs from the first byte of the second head on.
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            client.send("GET / HTTP/1.1\r\nHost: a\r\n");
            deadlines.pass(SHORT, 2);
            assertThat(client.read().status()).isEqualTo(408);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(silent.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws Exception {
        Timeouts patient = ServerUnderTest.patient();
        Timeouts timeouts =
                new Timeouts(
                        patient.handshake(),
                        patient.header(),
                        SHORT,
                        patient.bodyIdle(),
                        patient.writeIdle(),
                        patient.bodyRate());
        try (ServerUnderTest server =
                        new ServerUnderTest(ServerUnderTest::count, timeouts, deadlines);
                RawConnection client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            deadlines.pass(SHORT, 1);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    @Timeout(60)
    void aClientThatTakesNothingIsCutOff() throws Exception {
        Timeouts patient = ServerUnderTest.patient();
        Timeouts timeouts =
                new Timeouts(
                        patient.handshake(),
                        patient.header(),
                        patient.idle(),
                        patient.bodyIdle(),
                        SHORT,
                        patient.bodyRate());
        FakeBlob endless = FakeBlob.endless(1 << 16);
        try (ServerUnderTest server =
                        new ServerUnderTest(
                                (head, body) ->
                                        new S3Response(
                                                200,
                                                java.util.List.of(),
                                                new S3Response.Content.Blob(endless, 0, 1L << 40)),
                                timeouts,
                                deadlines);
                RawConnection client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            client.readHead();
            // While the buffers of the kernel fill there is progress, and it gets more time.
            while (server.server().connections() > 0) {
                deadlines.passIfSet(SHORT);
            }
            endless.awaitClosed();
            awaitIdle(server);
        }
    }
}
