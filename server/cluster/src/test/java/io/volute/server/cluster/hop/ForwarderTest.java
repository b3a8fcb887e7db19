package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.RawConnection;
import io.volute.server.http.RawConnection.Response;
import io.volute.server.http.Services;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node without the store in front of an owner, over real sockets. */
class ForwarderTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long HANG_SECONDS = 20;

    private final HopSeal seal =
            new HopSeal(
                    "0123456789abcdef".getBytes(StandardCharsets.US_ASCII),
                    () -> NOW,
                    new Random(1));
    private final BlockingQueue<HttpHead> arrived = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> watched = new LinkedBlockingQueue<>();
    private final HopPool pool = new HopPool(System::nanoTime, Optional.empty());
    private final Counts counts = new Counts();
    private final ChosenOwner owners = new ChosenOwner();
    private volatile S3Handler store = (head, body) -> ok("");
    private Services hops;
    private HttpServer owner;
    private HttpServer node;

    /** An owner that the test chooses. */
    private static final class ChosenOwner implements Forwarder.Owners {
        private volatile Optional<Owner> now = Optional.empty();

        /** Seen once in place of the present one. */
        private volatile Optional<Owner> seenFirst = Optional.empty();

        /** Nanoseconds of waiting that the test has skipped. */
        private final AtomicLong waited = new AtomicLong();

        private volatile Runnable whenAwaited = () -> {};
        private volatile Runnable whenChangeAwaited = () -> {};

        @Override
        public Optional<Owner> await(long nanos) {
            if (seenFirst.isPresent()) {
                Optional<Owner> first = seenFirst;
                seenFirst = Optional.empty();
                return first;
            }
            if (now.isEmpty() && nanos > 0) {
                whenAwaited.run();
                waited.addAndGet(nanos);
            }
            return now;
        }

        @Override
        public void awaitChange(long election, long nanos) {
            whenChangeAwaited.run();
        }
    }

    private static S3Response ok(String text) {
        return new S3Response(
                200,
                List.of(new Header("etag", "\"e\"")),
                new Content.Bytes(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static byte[] read(RequestBody body) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            while (body.next()) {
                ByteBuffer piece = body.buffer();
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                all.writeBytes(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toByteArray();
    }

    @BeforeEach
    void start() throws IOException {
        S3Handler recording =
                (head, body) -> {
                    arrived.add(head);
                    return store.handle(head, body);
                };
        RequestWatch watch =
                new RequestWatch() {
                    @Override
                    public long now() {
                        return 0;
                    }

                    @Override
                    public void answered(HttpHead head, Answered how) {
                        watched.add(head.remoteAddress() + " " + head.requestId());
                    }

                    @Override
                    public void refused(Refused refused) {}
                };
        Handlers handlers =
                new Handlers(recording, (head, body) -> ok("admin"), HopGate.REFUSED, watch);
        hops =
                new HopGate(
                        seal,
                        Readiness.ALWAYS,
                        watch,
                        election ->
                                owners.now
                                        .filter(owner -> owner.election() == election)
                                        .map(owner -> handlers));
        owner = HttpServer.start(listener(), hops, () -> NOW, new Random(1));
        node = node(Entrance.S3);
        owners.now = Optional.of(new Owner(address(owner), 1));
    }

    private static HttpSettings listener() {
        return HopGate.listener(
                HttpSettings.plain(ANY),
                new ClusterConfig(
                        "n1",
                        ANY,
                        Path.of("secret"),
                        Optional.empty(),
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        ClusterConfig.Distribution.TOGETHER));
    }

    private HttpServer node(Entrance entrance) throws IOException {
        Forwarder forwarder =
                new Forwarder(
                        entrance,
                        seal,
                        pool,
                        (head, body, wasRefused) -> owners,
                        Duration.ofSeconds(HANG_SECONDS),
                        () -> System.nanoTime() + owners.waited.get(),
                        counts);
        return HttpServer.start(
                HttpSettings.plain(ANY),
                new Service(forwarder, Readiness.ALWAYS, RequestWatch.NONE),
                () -> NOW,
                new Random(2));
    }

    private static String address(HttpServer server) {
        return "127.0.0.1:" + server.address().getPort();
    }

    @AfterEach
    void stop() {
        node.close();
        owner.close();
        pool.close();
    }

    private RawConnection connect() throws IOException {
        return new RawConnection(node.address());
    }

    private HttpHead taken() throws InterruptedException {
        return arrived.poll(HANG_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void theOwnerGetsTheRequestAsItWasSent() throws Exception {
        store = (head, body) -> ok("answer");
        try (RawConnection client = connect()) {
            client.send(
                    "GET /b/a%2Fb%20c?x=%7E&y HTTP/1.1\r\nHost: b.example.org:9\r\n"
                            + "X-Amz-Meta-A:  two  words\r\nX-Volute-Hop: S3\r\n\r\n");
            Response response = client.read();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo("answer");
            assertThat(response.header("etag")).contains("\"e\"");
            HttpHead head = taken();
            assertThat(head.rawPath()).isEqualTo("/b/a%2Fb%20c");
            assertThat(head.rawQuery()).isEqualTo("x=%7E&y");
            assertThat(head.headers().headers())
                    .containsExactly(
                            new Header("host", "b.example.org:9"),
                            new Header("x-amz-meta-a", "two  words"));
            assertThat(head.remoteAddress()).isEqualTo("127.0.0.1");
            assertThat(response.header("x-amz-request-id")).contains(head.requestId());
            // Logs of the owner name the client and its request, too.
            assertThat(watched.poll(HANG_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("127.0.0.1 " + head.requestId());
        }
    }

    /** The seal and a host are added on the way: they must not take the place of the client's. */
    @Test
    void theLargestHeadOfAClientReachesTheOwner() throws Exception {
        StringBuilder most = new StringBuilder();
        for (int i = 0; i < Limits.HEADER_COUNT_MAX; i++) {
            most.append("n").append(i).append(":v\r\n");
        }
        int rest = Limits.HEADER_BYTES_MAX - most.length();
        String headers = most.insert(most.length() - 2, "v".repeat(rest)).toString();
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.0\r\n" + headers + "\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(taken().headers().headers()).hasSize(Limits.HEADER_COUNT_MAX + 1);
        }
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.0\r\n" + headers + "x:\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(400);
            assertThat(arrived).isEmpty();
        }
    }

    /** Both listeners read a value alike, so that the seal over it opens. */
    @Test
    void valuesOfAnyBytesReachTheOwner() throws Exception {
        StringBuilder all = new StringBuilder("a");
        for (char c = 0x80; c <= 0xFF; c++) {
            all.append(c);
        }
        try (RawConnection client = connect()) {
            client.send(
                    "GET /b/k? HTTP/1.1\r\nHost:h\r\nX-Amz-Meta-A:\t \r\n"
                            + "X-Amz-Meta-B: b:\t\" c \t\r\n"
                            + "X-Amz-Meta-C:"
                            + all
                            + "\r\nX-Amz-Meta-C:second\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        assertThat(taken().headers().headers())
                .containsExactly(
                        new Header("host", "h"),
                        new Header("x-amz-meta-a", ""),
                        new Header("x-amz-meta-b", "b:\t\" c"),
                        new Header("x-amz-meta-c", all.toString()),
                        new Header("x-amz-meta-c", "second"));
    }

    /** The owner ignores both, as without a node: nobody waits for anybody. */
    @Test
    void twoExpectationsAreNone() throws Exception {
        store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        try (RawConnection client = connect()) {
            client.send(
                    "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                            + "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\nhi");
            assertThat(client.read().text()).isEqualTo("hi");
        }
    }

    /** A seal that somebody has seen on the way is of no use with credentials of their own. */
    @Test
    void aSealIsOfNoUseWithOtherHeaders() throws Exception {
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.1\r\nHost: h\r\nAuthorization: one\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        HttpHead seen = taken();
        String value = seal.seal(Entrance.S3, seen, 1);
        for (String other :
                List.of(
                        "Host: h\r\nAuthorization: another\r\n",
                        "Host: h\r\nAuthorization: one\r\nX-Amz-Copy-Source: /b/j\r\n",
                        "Host: h\r\n")) {
            try (RawConnection attacker = new RawConnection(owner.address())) {
                attacker.send(
                        "GET /b/k HTTP/1.1\r\nX-Volute-Hop: " + value + "\r\n" + other + "\r\n");
                assertThat(attacker.read().status()).isEqualTo(403);
            }
        }
        assertThat(arrived).isEmpty();
    }

    /** Clients without a credential make a node keep this, as many as there may be requests. */
    @Test
    @Tag("slow")
    void aBodyThatDoesNotComeHoldsLittleMemory() throws Exception {
        int uploads = 300;
        CountDownLatch begun = new CountDownLatch(uploads);
        store =
                (head, sent) -> {
                    begun.countDown();
                    return ok(Long.toString(count(sent)));
                };
        List<RawConnection> clients = new ArrayList<>();
        long before = usedHeapBytes();
        for (int i = 0; i < uploads; i++) {
            RawConnection client = connect();
            clients.add(client);
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 100001\r\n\r\n");
            client.send(new byte[100_000]);
        }
        await(begun);
        assertThat((usedHeapBytes() - before) / uploads).isLessThan(100 << 10);
        for (RawConnection client : clients) {
            client.send("x");
            assertThat(client.read().text()).isEqualTo("100001");
            client.close();
        }
    }

    private static long count(RequestBody body) {
        long bytes = 0;
        try {
            while (body.next()) {
                bytes += body.buffer().remaining();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes;
    }

    private static long usedHeapBytes() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    @Test
    void theEntranceIsKept() throws Exception {
        try (HttpServer admin = node(Entrance.ADMIN);
                RawConnection client = new RawConnection(admin.address())) {
            client.send("GET /_volute/v1/x HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("admin");
        }
    }

    @Test
    void bodiesPassUnchangedWithALengthAndInChunks() throws Exception {
        byte[] body = new byte[3_000_000];
        new Random(3).nextBytes(body);
        store = (head, sent) -> ok(Arrays.equals(read(sent), body) ? "same" : "other");
        try (RawConnection client = connect()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n");
            client.send(body);
            assertThat(client.read().text()).isEqualTo("same");
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send(Integer.toHexString(body.length) + "\r\n");
            client.send(body).send("\r\n0\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("same");
        }
    }

    @Test
    void aBodyIsAskedForOnlyWhenTheOwnerWantsIt() throws Exception {
        String put =
                "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
        store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        try (RawConnection client = connect()) {
            client.send(put);
            assertThat(client.read().status()).isEqualTo(100);
            client.send("hello");
            assertThat(client.read().text()).isEqualTo("hello");
        }
        store = (head, sent) -> new S3Response(403, List.of(), new Content.None(-1));
        try (RawConnection client = connect()) {
            client.send(put);
            assertThat(client.read().status()).isEqualTo(403);
        }
    }

    @Test
    void answersPassInEachForm() throws Exception {
        byte[] large = new byte[2_000_000];
        new Random(4).nextBytes(large);
        store =
                (head, sent) ->
                        switch (head.rawPath()) {
                            case "/b/large" ->
                                    new S3Response(200, List.of(), new Content.Bytes(large));
                            case "/b/none" -> new S3Response(204, List.of(), new Content.None(-1));
                            case "/b/head" -> new S3Response(200, List.of(), new Content.None(77));
                            default ->
                                    new S3Response(
                                            200,
                                            List.of(),
                                            new Content.Stream(target -> target.write(large)));
                        };
        try (RawConnection client = connect()) {
            client.send("GET /b/large HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().body()).isEqualTo(large);
            client.send("DELETE /b/none HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(204);
            client.send("HEAD /b/head HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read("HEAD").header("content-length")).contains("77");
            client.send("GET /b/stream HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.readHead().header("transfer-encoding")).contains("chunked");
            assertThat(client.readChunked()).isEqualTo(large);
        }
        assertThat(counts.forwarded().sum()).isEqualTo(4);
    }

    @Test
    void aRequestWaitsForAnOwnerBeforeItsBodyIsRead() throws Exception {
        store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        Owner later = owners.now.orElseThrow();
        owners.now = Optional.empty();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        owners.whenAwaited =
                () -> {
                    waits.countDown();
                    await(goOn);
                    owners.now = Optional.of(later);
                };
        try (RawConnection client = connect()) {
            client.send(
                    "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
                            + "Expect: 100-continue\r\n\r\n");
            await(waits);
            assertThat(client.input().available()).isZero();
            goOn.countDown();
            assertThat(client.read().status()).isEqualTo(100);
            client.send("hello");
            assertThat(client.read().text()).isEqualTo("hello");
        }
        assertThat(counts.waited().sum()).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withoutAnOwnerTheClientIsToldToComeBack() throws Exception {
        owners.now = Optional.empty();
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            Response response = client.read();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("retry-after")).contains("1");
            assertThat(response.text()).contains("<Code>ServiceUnavailable</Code>");
        }
        assertThat(counts.failed().sum()).isEqualTo(1);
    }

    /** An owner that ends each connection once it has a request. */
    private Owner dyingOwner(CountDownLatch requests, long election) throws IOException {
        ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (requests.getCount() > 0) {
                                try (Socket each = listening.accept()) {
                                    if (each.getInputStream().read() >= 0) {
                                        requests.countDown();
                                    }
                                } catch (IOException e) {
                                    return;
                                }
                            }
                        });
        return new Owner("127.0.0.1:" + listening.getLocalPort(), election);
    }

    @Test
    void aReadIsSentAgainToTheNextOwnerAndAWriteIsNot() throws Exception {
        Owner next = new Owner(address(owner), 2);
        CountDownLatch requests = new CountDownLatch(2);
        owners.now = Optional.of(dyingOwner(requests, 1));
        owners.whenChangeAwaited = () -> owners.now = Optional.of(next);
        Owner dying = owners.now.orElseThrow();
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(taken().method()).isEqualTo("GET");
            owners.now = Optional.of(new Owner(dying.address(), 3));
            client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(503);
            assertThat(arrived).isEmpty();
        }
        await(requests);
    }

    /** An owner with too much to do would get even more. */
    @Test
    void aReadIsSentToOneOwnerTwiceAtMost() throws Exception {
        CountDownLatch requests = new CountDownLatch(3);
        owners.now = Optional.of(dyingOwner(requests, 1));
        try (RawConnection client = connect()) {
            client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(503);
        }
        assertThat(requests.getCount()).isEqualTo(1);
    }

    /** The code is the same as without a node in between. */
    @Test
    void aBodyThatDoesNotArriveIsIncomplete() throws Exception {
        store = (head, sent) -> ok(Long.toString(count(sent)));
        try (RawConnection client = connect()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
            Response response = client.read();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text()).contains("<Code>IncompleteBody</Code>");
        }
    }

    @Test
    void aWriteWaitsForAnOwnerThatRefusesConnections() throws Exception {
        Owner next = owners.now.orElseThrow();
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        owners.now = Optional.of(new Owner("127.0.0.1:" + closed, 1));
        owners.whenChangeAwaited = () -> owners.now = Optional.of(new Owner(next.address(), 2));
        store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        try (RawConnection client = connect()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
            assertThat(client.read().text()).isEqualTo("hi");
        }
    }

    /** Somebody with access to ZooKeeper has written it: requests wait for the next owner. */
    @Test
    void anAddressThatIsNoneIsThatOfNoOwner() throws Exception {
        Owner next = new Owner(address(owner), 9);
        for (String wrong : List.of("", "nothing", "host:", ":x", "h:65536", "h:-1")) {
            owners.now = Optional.of(new Owner(wrong, 1));
            owners.whenChangeAwaited = () -> owners.now = Optional.of(next);
            try (RawConnection client = connect()) {
                client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.read().status()).as(wrong).isEqualTo(200);
            }
        }
    }

    /** The same node has lost the store, and won it again. */
    @Test
    void aRequestForAnEarlierElectionIsSentAgain() throws Exception {
        Owner later = new Owner(address(owner), 2);
        Owner before = owners.now.orElseThrow();
        owners.whenChangeAwaited = () -> owners.now = Optional.of(later);
        owners.seenFirst = Optional.of(before);
        owners.now = Optional.of(later);
        try (RawConnection client = connect()) {
            client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        assertThat(arrived).hasSize(1);
    }

    @Test
    void aRequestThatTheOwnerHasRefusedIsSentAgain() throws Exception {
        store = HopGate.REFUSED;
        owners.whenChangeAwaited =
                () -> store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        try (RawConnection client = connect()) {
            client.send(
                    "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                            + "Expect: 100-continue\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            client.send("hi");
            assertThat(client.read().text()).isEqualTo("hi");
            assertThat(arrived).hasSize(2);
        }
        // A body that was read for the first owner cannot be sent to the next one.
        store = readAndRefuse();
        try (RawConnection client = connect()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
            assertThat(client.read().status()).isEqualTo(503);
        }
    }

    /** Many clients send a small body at once: it waits on the node until an owner wants it. */
    @Test
    void aBodyThatTheClientSendsAtOnceIsKeptWhileOwnersRefuse() throws Exception {
        store = HopGate.REFUSED;
        owners.whenChangeAwaited =
                () -> store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        for (String framing :
                List.of(
                        "Content-Length: 2\r\n\r\nhi",
                        "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")) {
            store = HopGate.REFUSED;
            try (RawConnection client = connect()) {
                client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\n" + framing);
                assertThat(client.read().text()).as(framing).isEqualTo("hi");
            }
        }
        assertThat(arrived).hasSize(4);
    }

    private static S3Handler readAndRefuse() {
        return (head, sent) -> {
            assertThat(read(sent)).isNotEmpty();
            return HopGate.REFUSED.handle(head, sent);
        };
    }

    @Test
    void aWriteIsSentAgainWhileTheOwnerHasNothingOfItsBody() throws Exception {
        CountDownLatch requests = new CountDownLatch(1);
        Owner next = new Owner(address(owner), 2);
        owners.now = Optional.of(dyingOwner(requests, 1));
        owners.whenChangeAwaited = () -> owners.now = Optional.of(next);
        store = (head, sent) -> ok(new String(read(sent), StandardCharsets.US_ASCII));
        try (RawConnection client = connect()) {
            client.send(
                    "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                            + "Expect: 100-continue\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            client.send("hi");
            assertThat(client.read().text()).isEqualTo("hi");
        }
        await(requests);
    }

    /** A copy, or the begin of an upload, may be done before the owner wants a body. */
    @Test
    void aWriteThatNeedsNoBodyIsNotSentAgain() throws Exception {
        Owner next = new Owner(address(owner), 9);
        owners.whenChangeAwaited = () -> owners.now = Optional.of(next);
        for (String request :
                List.of(
                        "POST /b/k?uploads HTTP/1.1\r\n",
                        "DELETE /b/k HTTP/1.1\r\n",
                        "PUT /b/k HTTP/1.1\r\nX-Amz-Copy-Source: /b/j\r\n")) {
            owners.now = Optional.of(dyingOwner(new CountDownLatch(1), 1));
            try (RawConnection client = connect()) {
                client.send(
                        request
                                + "Host: h\r\nContent-Length: 2\r\n"
                                + "Expect: 100-continue\r\n\r\n");
                assertThat(client.read().status()).as(request).isEqualTo(503);
            }
        }
        assertThat(arrived).isEmpty();
    }

    @Test
    void aLostOwnerFailsEachClientOnce() throws Exception {
        CountDownLatch arrivals = new CountDownLatch(3);
        store =
                (head, sent) -> {
                    arrivals.countDown();
                    await(arrivals);
                    return ok("");
                };
        try (RawConnection one = connect();
                RawConnection two = connect();
                RawConnection three = connect()) {
            for (RawConnection each : List.of(one, two, three)) {
                each.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            for (RawConnection each : List.of(one, two, three)) {
                assertThat(each.read().status()).isEqualTo(200);
            }
            // The node has three idle connections now, and the owner cuts them all.
            owner.close();
            try (HttpServer next =
                    HttpServer.start(HttpSettings.plain(ANY), hops, () -> NOW, new Random(1))) {
                owners.whenChangeAwaited =
                        () -> owners.now = Optional.of(new Owner(address(next), 2));
                one.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(one.read().status()).isEqualTo(503);
                one.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(one.read().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void theNextElectionCutsRequestsToTheOwnerBefore() throws Exception {
        CountDownLatch isHandled = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        store =
                (head, sent) -> {
                    isHandled.countDown();
                    await(isOver);
                    return ok("late");
                };
        try (RawConnection client = connect()) {
            client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            await(isHandled);
            pool.retain(Set.of(2L));
            assertThat(client.read().status()).isEqualTo(503);
        } finally {
            isOver.countDown();
        }
    }

    @Test
    void anEarlyAnswerEndsTheBody() throws Exception {
        store = (head, sent) -> new S3Response(403, List.of(), new Content.None(-1));
        try (RawConnection client = connect()) {
            client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
            Thread sender = Thread.ofVirtual().start(() -> sendUntilClosed(client));
            assertThat(client.read().status()).isEqualTo(403);
            client.reset();
            sender.join();
        }
    }

    /** Sends as clients do that look for the answer behind the body only. */
    private static void sendUntilClosed(RawConnection client) {
        try {
            for (int i = 0; i < 10_000; i++) {
                client.send(new byte[100_000]);
            }
        } catch (IOException e) {
            // The answer was read meanwhile.
        }
    }

    @Test
    void onlyNodesMayUseTheListenerOfTheOwner() throws Exception {
        try (RawConnection client = new RawConnection(owner.address())) {
            client.send("GET /b/k HTTP/1.1\r\nHost: h\r\nX-Volute-Hop: S3\r\n\r\n");
            Response response = client.read();
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("cluster.secret-file");
        }
    }
}
