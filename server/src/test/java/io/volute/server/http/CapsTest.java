package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.s3.request.S3Response;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limits on concurrent requests and connections, health, and stopping. */
class CapsTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    @Test
    void refusesRequestsOfOneAddressOverItsCap() throws Exception {
        assertRefusesTheThird(new Caps(10, 10, 10, 2, 1 << 20));
    }

    private static Caps caps(int connections, int perAddress, int requests) {
        return new Caps(connections, perAddress, requests, requests, 1 << 20);
    }

    @Test
    void turnsAwayConnectionsOverTheCap() throws IOException {
        assertTurnsAwayTheThird(caps(2, 100, 10));
    }

    @Test
    void turnsAwayConnectionsOfOneAddressOverItsCap() throws IOException {
        assertTurnsAwayTheThird(caps(100, 2, 10));
    }

    private static void assertTurnsAwayTheThird(Caps caps) throws IOException {
        try (ServerUnderTest server =
                new ServerUnderTest(ServerUnderTest::count, caps, ServerUnderTest.patient())) {
            try (RawConnection first = server.connect();
                    RawConnection second = server.connect()) {
                assertThat(first.send(GET).read().status()).isEqualTo(200);
                assertThat(second.send(GET).read().status()).isEqualTo(200);
                try (RawConnection third = server.connect()) {
                    RawConnection.Response response = third.read();
                    assertThat(response.status()).isEqualTo(503);
                    assertThat(response.text()).contains("SlowDown");
                    third.send(GET);
                    assertThat(third.isClosedByServer()).isTrue();
                }
                // The others are not disturbed.
                assertThat(first.send(GET).read().status()).isEqualTo(200);
            }
            BodyTest.awaitIdle(server);
            try (RawConnection again = server.connect()) {
                assertThat(again.send(GET).read().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void refusesRequestsOverTheCap() throws Exception {
        assertRefusesTheThird(caps(10, 10, 2));
    }

    private static void assertRefusesTheThird(Caps caps) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(2);
        try (ServerUnderTest server =
                        new ServerUnderTest(
                                ServerUnderTest.late(running, go),
                                caps,
                                ServerUnderTest.patient());
                RawConnection first = server.connect();
                RawConnection second = server.connect();
                RawConnection third = server.connect()) {
            first.send(GET);
            second.send(GET);
            BodyTest.await(running);
            RawConnection.Response refused = third.send(GET).read();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).contains("SlowDown");
            go.countDown();
            assertThat(first.read().status()).isEqualTo(200);
            assertThat(second.read().status()).isEqualTo(200);
        }
    }

    @Test
    void healthNeedsNoHandlerButCredentialsDo() throws IOException {
        try (ServerUnderTest server =
                new ServerUnderTest((head, body) -> ServerUnderTest.text(403, "handler"))) {
            assertThat(get(server, "GET", "/health/live", "").text()).isEqualTo("alive\n");
            assertThat(get(server, "GET", "/health/ready", "").text()).isEqualTo("ready\n");
            assertThat(get(server, "HEAD", "/health/ready", "").status()).isEqualTo(200);
            for (String path : List.of("live", "ready", "cluster")) {
                assertThat(get(server, "GET", "/minio/health/" + path, "").status()).isEqualTo(200);
            }
            assertThat(server.heads()).isEmpty();
            for (String path :
                    List.of(
                            "/health",
                            "/health/",
                            "/health/live/",
                            "/health/live?x",
                            "//health/live",
                            "/health/%6cive",
                            "/metrics",
                            "/")) {
                assertThat(get(server, "GET", path, "").status()).as(path).isEqualTo(403);
            }
            assertThat(get(server, "POST", "/health/live", "").status()).isEqualTo(403);
            assertThat(get(server, "GET", "/health/live", "Authorization: x\r\n").status())
                    .isEqualTo(403);
        }
    }

    private static RawConnection.Response get(
            ServerUnderTest server, String method, String path, String headers) throws IOException {
        try (RawConnection client = server.connect()) {
            client.send(method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n");
            return client.read(method);
        }
    }

    @Test
    @Timeout(60)
    void aStopFinishesWhatIsInFlight() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest.late(running, go));
                RawConnection busy = server.connect();
                RawConnection idle = server.connect()) {
            busy.send(GET);
            BodyTest.await(running);
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return server.server().drain(Duration.ofSeconds(60));
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                            });
            // Idle connections go at once, new ones are not taken.
            assertThat(idle.isClosedByServer()).isTrue();
            // The kernel takes connections until the selector has let go of the closed listener.
            while (connects(server)) {
                Thread.onSpinWait();
            }
            assertThat(drained).isNotDone();
            go.countDown();
            RawConnection.Response response = busy.read();
            assertThat(response.text()).isEqualTo("late");
            assertThat(response.header("connection")).hasValue("close");
            assertThat(drained.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static boolean connects(ServerUnderTest server) {
        try (Socket socket = new Socket()) {
            socket.connect(server.server().address());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aStopGivesUpOnWhatDoesNotEnd() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        ServerUnderTest server =
                new ServerUnderTest(
                        (head, body) -> {
                            running.countDown();
                            S3Response response = ServerUnderTest.count(head, body);
                            failed.countDown();
                            return response;
                        });
        try (RawConnection client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
            BodyTest.await(running);
            assertThat(server.server().drain(Duration.ofMillis(1))).isFalse();
            server.close();
            BodyTest.await(failed);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aPortThatIsTakenIsSaidSo() throws IOException {
        try (ServerUnderTest server = new ServerUnderTest(ServerUnderTest::count)) {
            List<String> messages = new ArrayList<>();
            try {
                new ServerUnderTest(
                                ServerUnderTest::count,
                                HttpSettings.plain(server.server().address()))
                        .close();
            } catch (IOException e) {
                messages.add(e.getMessage());
            }
            assertThat(messages).hasSize(1);
            assertThat(messages.get(0))
                    .contains("127.0.0.1:" + server.server().address().getPort())
                    .contains("--listen HOST:PORT");
        }
    }

    /** Many slow uploads hold almost nothing. */
    @Test
    void aThousandSlowUploadsStayInTheBudget() throws IOException {
        int uploads = 1000;
        Caps caps = new Caps(2000, 2000, 2000, 2000, 64 << 20);
        try (ServerUnderTest server =
                new ServerUnderTest(ServerUnderTest::count, caps, ServerUnderTest.patient())) {
            List<RawConnection> clients = new ArrayList<>();
            for (int i = 0; i < uploads; i++) {
                RawConnection client = server.connect();
                clients.add(client);
                client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n");
                client.send(new byte[1000]);
            }
            while (server.heads().size() < uploads) {
                Thread.onSpinWait();
            }
            assertThat(server.server().directBytes()).isLessThan(128L << 20);
            for (RawConnection client : clients) {
                client.send(new byte[1000]);
                assertThat(client.read().text()).isEqualTo("PUT 2000");
                client.close();
            }
            BodyTest.awaitIdle(server);
            assertThat(server.server().freeBudgetBytes()).isEqualTo(caps.bufferBytes());
        }
    }
}
