package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopPool.CutOffException;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.RawConnection;
import io.volute.server.http.RawConnection.Response;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node whose packets to the owner are dropped: connections stay, and nothing is passed on. The
 * time of the node is the test's, so nothing is silent before the cut.
 */
@Tag("slow")
class CutOffOwnerTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int HANG_MILLIS = 20_000;
    private static final Duration HANG = Duration.ofMillis(HANG_MILLIS);
    private static final Duration SILENCE = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HopSeal seal =
            new HopSeal(
                    "0123456789abcdef".getBytes(StandardCharsets.US_ASCII),
                    () -> NOW,
                    new Random(1));
    private final AtomicLong nanos = new AtomicLong(1);
    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private volatile S3Handler store = (head, body) -> ok("answer");
    private HttpServer owner;
    private Relay relay;

    // Of the node, by start().
    private HopPool pool;
    private HttpServer node;

    /** Passes bytes between nodes and the owner until it is cut. */
    private static final class Relay implements AutoCloseable {
        private final ServerSocket listening =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int target;
        private final AtomicInteger connections = new AtomicInteger();
        private final Semaphore probes = new Semaphore(0);
        private volatile CountDownLatch passing = new CountDownLatch(0);

        Relay(int target) throws IOException {
            this.target = target;
            Thread.ofVirtual().start(this::accept);
        }

        void cut() {
            passing = new CountDownLatch(1);
        }

        void mend() {
            passing.countDown();
        }

        private void accept() {
            try {
                while (true) {
                    Socket from = listening.accept();
                    connections.incrementAndGet();
                    Thread.ofVirtual().start(() -> connect(from));
                }
            } catch (IOException e) {
                // Closed at the end.
            }
        }

        private void connect(Socket from) {
            try (from;
                    Socket to = new Socket(InetAddress.getLoopbackAddress(), target)) {
                Thread back = Thread.ofVirtual().start(() -> copy(to, from));
                copy(from, to);
                back.join();
            } catch (IOException e) {
                // The owner is gone.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void copy(Socket from, Socket to) {
            byte[] bytes = new byte[8192];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    passing.await();
                    out.write(bytes, 0, read);
                    String text = new String(bytes, 0, read, StandardCharsets.ISO_8859_1);
                    if (text.startsWith("GET /health/live")) {
                        probes.release();
                    }
                }
            } catch (IOException e) {
                // The other direction has ended.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
            mend();
        }
    }

    private static S3Response ok(String text) {
        return new S3Response(
                200, List.of(), new Content.Bytes(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @BeforeEach
    void startOwner() throws IOException {
        S3Handler recording =
                (head, body) -> {
                    arrived.add(head.method());
                    return store.handle(head, body);
                };
        Handlers handlers =
                new Handlers(recording, HopGate.REFUSED, HopGate.REFUSED, RequestWatch.NONE);
        owner = HopListener.start(seal, Map.of(1L, handlers), () -> NOW, new Random(2));
        relay = new Relay(owner.address().getPort());
    }

    @AfterEach
    void stop() throws IOException {
        if (node != null) {
            node.close();
            pool.close();
        }
        relay.close();
        owner.close();
    }

    /** Starts the node in front of an owner at a port. */
    private void startNode(int port, Duration connect, Duration probe) throws IOException {
        Owner at = new Owner("127.0.0.1:" + port, 1);
        Forwarder.Owners owners =
                new Forwarder.Owners() {
                    @Override
                    public Optional<Owner> await(long wait) {
                        return Optional.of(at);
                    }

                    @Override
                    public void awaitChange(long election, long wait) {}
                };
        pool =
                new HopPool(
                        nanos::get,
                        Optional.empty(),
                        new OwnerLine.Limits(connect, HANG, SILENCE, probe, PAUSE, Duration.ZERO));
        Forwarder forwarder =
                new Forwarder(
                        Entrance.S3,
                        seal,
                        pool,
                        (head, body, wasRefused) -> owners,
                        HANG,
                        nanos::get,
                        new Counts());
        node =
                HttpServer.start(
                        HttpSettings.plain(ANY),
                        new Service(forwarder, Readiness.ALWAYS, RequestWatch.NONE),
                        () -> NOW,
                        new Random(3));
    }

    /** A probe over the relay ends soon, as nothing passes after the cut. */
    private void startNode() throws IOException {
        startNode(relay.listening.getLocalPort(), HANG, Duration.ofMillis(50));
    }

    private RawConnection client() throws IOException {
        return new RawConnection(node.address());
    }

    private static void get(RawConnection client) throws IOException {
        client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
    }

    private static void requireSlowDown(Response response) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("retry-after")).contains("1");
        assertThat(response.text()).contains("<Code>SlowDown</Code>");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(HANG_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets clients fill the pool with connections, then cuts the owner off. */
    private void cutWithIdleConnections(int count) throws Exception {
        CountDownLatch all = new CountDownLatch(count);
        store =
                (head, body) -> {
                    all.countDown();
                    await(all);
                    return ok("answer");
                };
        List<RawConnection> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(client());
            get(clients.getLast());
        }
        for (RawConnection each : clients) {
            assertThat(each.read().status()).isEqualTo(200);
            each.close();
        }
        store = (head, body) -> ok("answer");
        arrived.clear();
        relay.cut();
    }

    @Test
    void clientsOfAnOwnerThatIsCutOffGetSlowDownAndGoOnAfterIt() throws Exception {
        startNode();
        cutWithIdleConnections(3);
        try (RawConnection reader = client();
                RawConnection writer = client();
                RawConnection deleter = client()) {
            get(reader);
            writer.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
            deleter.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            passUntilAnswered(reader);
            requireSlowDown(reader.read());
            requireSlowDown(writer.read());
            // The owner may get it later: its outcome is unknown, and it is not sent again.
            assertThat(deleter.read().status()).isEqualTo(503);
            for (int i = 0; i < 3; i++) {
                get(reader);
                requireSlowDown(reader.read());
            }
            relay.mend();
            pass(PAUSE);
            get(reader);
            assertThat(reader.read().status()).isEqualTo(200);
        }
        // What the network has kept may arrive late, but once.
        for (String each : List.of("PUT", "DELETE")) {
            assertThat(arrived.stream().filter(each::equals)).hasSizeLessThanOrEqualTo(1);
        }
    }

    /** The time of a request passes until the node has seen that the owner is silent. */
    private void passUntilAnswered(RawConnection client) throws IOException {
        while (client.input().available() == 0) {
            pass(SILENCE);
            Thread.onSpinWait();
        }
    }

    @Test
    void onlyOneOfManyClientsTriesAnOwnerThatIsCutOff() throws Exception {
        startNode();
        cutWithIdleConnections(2);
        try (RawConnection first = client()) {
            get(first);
            passUntilAnswered(first);
            requireSlowDown(first.read());
        }
        int before = relay.connections.get();
        List<RawConnection> many = new ArrayList<>();
        pass(PAUSE);
        for (int i = 0; i < 20; i++) {
            many.add(client());
            get(many.getLast());
        }
        for (RawConnection each : many) {
            requireSlowDown(each.read());
            each.close();
        }
        assertThat(relay.connections.get() - before).isEqualTo(1);
    }

    @Test
    void anUploadUnderWayEndsWithTheCut() throws Exception {
        startNode();
        CountDownLatch begun = new CountDownLatch(1);
        store =
                (head, body) -> {
                    try {
                        while (body.next()) {
                            body.buffer().position(body.buffer().limit());
                            begun.countDown();
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return ok("");
                };
        try (RawConnection client = client()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
            client.send(new byte[100_000]);
            await(begun);
            relay.cut();
            Thread sender = Thread.ofVirtual().start(() -> sendUntilClosed(client));
            passUntilAnswered(client);
            assertThat(client.read().status()).isEqualTo(503);
            client.reset();
            sender.join();
        }
    }

    private static void sendUntilClosed(RawConnection client) {
        try {
            for (int i = 0; i < 10_000; i++) {
                client.send(new byte[100_000]);
            }
        } catch (IOException e) {
            // The answer was read meanwhile.
        }
    }

    /** The owner works for longer than any limit, and answers probes meanwhile. */
    @Test
    void aSlowAnswerOfAnOwnerThatCanBeReachedGoesOn() throws Exception {
        startNode(relay.listening.getLocalPort(), HANG, HANG);
        CountDownLatch isWorking = new CountDownLatch(1);
        CountDownLatch isDone = new CountDownLatch(1);
        store =
                (head, body) -> {
                    isWorking.countDown();
                    await(isDone);
                    return ok(consumed(body));
                };
        try (RawConnection client = client()) {
            client.send("POST /b/k?uploadId=u HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
            await(isWorking);
            while (!relay.probes.tryAcquire(3, 10, TimeUnit.MILLISECONDS)) {
                pass(SILENCE);
            }
            isDone.countDown();
            assertThat(client.read().text()).isEqualTo("2 bytes");
        }
    }

    private static String consumed(RequestBody body) {
        int bytes = 0;
        try {
            while (body.next()) {
                bytes += body.buffer().remaining();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes + " bytes";
    }

    /** The queue of the listener is full, so that the system drops the packets of others. */
    @Test
    void anOwnerThatTakesNoConnectionIsCutOff() throws Exception {
        List<Socket> queued = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            startNode(full.getLocalPort(), Duration.ofMillis(50), Duration.ofMillis(50));
            boolean isFull = false;
            while (!isFull) {
                Socket next = new Socket();
                queued.add(next);
                try {
                    next.connect(full.getLocalSocketAddress(), 500);
                } catch (IOException e) {
                    isFull = true;
                }
            }
            try (RawConnection client = client()) {
                get(client);
                requireSlowDown(client.read());
            }
            String address = "127.0.0.1:" + full.getLocalPort();
            assertThatThrownBy(() -> pool.take(address, 1))
                    .isInstanceOf(CutOffException.class)
                    .hasMessageContaining(address);
        } finally {
            for (Socket each : queued) {
                each.close();
            }
        }
    }
}
