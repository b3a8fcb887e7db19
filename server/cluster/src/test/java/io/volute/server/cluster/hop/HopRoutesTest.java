package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.accesslog.AccessLog;
import io.volute.server.auth.policy.AddressRange;
import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.Forwarder.Owners;
import io.volute.server.cluster.hop.Forwarder.Routes;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.Proxies;
import io.volute.server.http.RawConnection;
import io.volute.server.http.RawConnection.Response;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.call.RequestKeys;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several owners at once: of the store and of cubes, over real sockets. */
class HopRoutesTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final long HANG_SECONDS = 20;

    /** The election of the owner of the store. */
    private static final long STORE = 5;

    /** The election of the owner of a cube. */
    private static final long CUBE = 6;

    private static final String EXPECT = "Content-Length: 2\r\nExpect: 100-continue\r\n";

    @TempDir private Path directory;
    private final Random random = new Random(1);
    private final HopPool pool = new HopPool(System::nanoTime, Optional.empty());
    private final List<AutoCloseable> open = new ArrayList<>(List.of(pool));

    /** The elections of the first and the second node of the cluster, which the tests fill. */
    private final Map<Long, Handlers> first = new ConcurrentHashMap<>();

    private final Map<Long, Handlers> second = new ConcurrentHashMap<>();

    /** The heads that the last of two owners gets. */
    private final BlockingQueue<HttpHead> arrived = new LinkedBlockingQueue<>();

    private final Fixed store = new Fixed();
    private final Fixed cube = new Fixed();
    private String firstAddress;
    private String secondAddress;

    /** An owner that the test sets. */
    private static final class Fixed implements Owners {
        private volatile Optional<Owner> now = Optional.empty();
        private volatile Runnable whenChangeAwaited = () -> {};
        private final AtomicInteger changesAwaited = new AtomicInteger();

        @Override
        public Optional<Owner> await(long nanos) {
            return now;
        }

        @Override
        public void awaitChange(long election, long nanos) {
            changesAwaited.incrementAndGet();
            whenChangeAwaited.run();
        }
    }

    @BeforeEach
    void start() throws IOException {
        firstAddress = node(first);
        secondAddress = node(second);
        store.now = Optional.of(new Owner(firstAddress, STORE));
        cube.now = Optional.of(new Owner(secondAddress, CUBE));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private HopSeal seal() {
        return new HopSeal(SECRET, () -> NOW, new Random(random.nextLong()));
    }

    /** Starts the listener for other nodes of a node, and returns its address. */
    private String node(Map<Long, Handlers> roles) throws IOException {
        HttpServer server = HopListener.start(seal(), roles, () -> NOW, random);
        open.add(server);
        return "127.0.0.1:" + server.address().getPort();
    }

    private Forwarder forwarder(Routes routes) {
        return new Forwarder(
                Entrance.S3,
                seal(),
                pool,
                routes,
                Duration.ofSeconds(HANG_SECONDS),
                System::nanoTime,
                new Counts());
    }

    /** Starts a node that takes requests of clients, behind a proxy on this machine. */
    private RawConnection client(Routes routes) throws IOException {
        HttpServer entry =
                HttpServer.start(
                        new HttpSettings(
                                ANY,
                                Optional.empty(),
                                Caps.defaults(),
                                Timeouts.defaults(),
                                new Proxies(
                                        List.of(AddressRange.of("127.0.0.1/32")),
                                        Proxies.Means.X_FORWARDED_FOR)),
                        new Service(forwarder(routes), Readiness.ALWAYS, RequestWatch.NONE),
                        () -> NOW,
                        random);
        open.add(entry);
        RawConnection client = new RawConnection(entry.address());
        open.add(client);
        return client;
    }

    /** Bucket {@code c} is in the cube, others are in the cubes of the store's owner. */
    private Owners placed(HttpHead head, RequestBody body, boolean wasRefused) {
        return head.rawPath().startsWith("/c/") && !wasRefused ? cube : store;
    }

    private static Handlers role(S3Handler s3) {
        return role(s3, RequestWatch.NONE);
    }

    private static Handlers role(S3Handler s3, RequestWatch watch) {
        return new Handlers(s3, s3, HopGate.REFUSED, watch);
    }

    private static S3Response ok(String text) {
        return new S3Response(
                200,
                List.of(new Header("etag", "\"e\"")),
                new Content.Bytes(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static S3Response echo(HttpHead head, RequestBody body) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            while (body.next()) {
                byte[] bytes = new byte[body.buffer().remaining()];
                body.buffer().get(bytes);
                all.writeBytes(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ok(head.method() + " " + all.toString(StandardCharsets.US_ASCII));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String get(RawConnection client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
        Response response = client.read();
        return response.status() + " " + response.text();
    }

    @Test
    void eachRequestGoesToTheOwnerOfItsCube() throws Exception {
        first.put(STORE, role((head, body) -> ok("store")));
        second.put(CUBE, role((head, body) -> ok("cube")));
        RawConnection client = client(this::placed);
        for (int i = 0; i < 3; i++) {
            assertThat(get(client, "/b/k")).isEqualTo("200 store");
            assertThat(get(client, "/c/k")).isEqualTo("200 cube");
        }
    }

    /** One listener for all roles of a node. A role's watch gets its requests, as its logs do. */
    @Test
    void aNodeWithTwoRolesHandlesEachRequestInItsOwn() throws Exception {
        BlockingQueue<String> watched = new LinkedBlockingQueue<>();
        first.put(STORE, role((head, body) -> ok("store"), noting(watched, "store ")));
        first.put(CUBE, role((head, body) -> ok("cube"), noting(watched, "cube ")));
        cube.now = Optional.of(new Owner(firstAddress, CUBE));
        RawConnection client = client(this::placed);
        assertThat(get(client, "/c/k")).isEqualTo("200 cube");
        assertThat(watched.poll(HANG_SECONDS, TimeUnit.SECONDS)).isEqualTo("cube /c/k");
        assertThat(get(client, "/b/k")).isEqualTo("200 store");
        assertThat(watched.poll(HANG_SECONDS, TimeUnit.SECONDS)).isEqualTo("store /b/k");
    }

    private static RequestWatch noting(BlockingQueue<String> watched, String role) {
        return noting(watched, role, RequestWatch.NONE);
    }

    private static RequestWatch noting(
            BlockingQueue<String> watched, String role, RequestWatch before) {
        return new RequestWatch() {
            @Override
            public long now() {
                return 0;
            }

            @Override
            public void answered(HttpHead head, Answered how) {
                before.answered(head, how);
                watched.add(role + head.rawPath());
            }

            @Override
            public void refused(Refused refused) {}
        };
    }

    /** The node's placements are old: the owner of the store knows the cube's present owner. */
    @Test
    void aRequestThatTheOwnerOfACubeRefusesGoesToTheOwnerOfTheStoreAtOnce() throws Exception {
        first.put(STORE, role(HopRoutesTest::echo));
        RawConnection client = client(this::placed);
        client.send("DELETE /c/k HTTP/1.1\r\nHost: h\r\n\r\n");
        assertThat(client.read().text()).isEqualTo("DELETE ");
        client.send("PUT /c/k HTTP/1.1\r\nHost: h\r\n" + EXPECT + "\r\n");
        assertThat(client.read().status()).isEqualTo(100);
        client.send("hi");
        assertThat(client.read().text()).isEqualTo("PUT hi");
        assertThat(cube.changesAwaited).hasValue(0);
        assertThat(store.changesAwaited).hasValue(0);
    }

    /** Nothing that may change something is sent twice, whoever would be the next owner. */
    @Test
    void aBodyThatWasReadForOneOwnerIsNotSentToAnother() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        first.put(
                STORE,
                role(
                        (head, body) -> {
                            handled.incrementAndGet();
                            return ok("");
                        }));
        second.put(
                CUBE,
                role(
                        (head, body) -> {
                            S3Response read = echo(head, body);
                            assertThat(read.status()).isEqualTo(200);
                            return HopGate.REFUSED.handle(head, body);
                        }));
        RawConnection client = client(this::placed);
        client.send("PUT /c/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
        assertThat(client.read().status()).isEqualTo(503);
        assertThat(handled).hasValue(0);
    }

    /** A changed head would be parsed again. */
    @Test
    void theOwnerIsFoundByTheHeadThatTheClientSent() throws Exception {
        BlockingQueue<HttpHead> heads = new LinkedBlockingQueue<>();
        first.put(STORE, role(HopRoutesTest::echo));
        RawConnection client =
                client(
                        (head, body, wasRefused) -> {
                            heads.add(head);
                            return placed(head, body, wasRefused);
                        });
        client.send("PUT /c/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
        assertThat(client.read().text()).isEqualTo("PUT hi");
        HttpHead sent = heads.remove();
        assertThat(sent.headers().first("expect")).isEmpty();
        assertThat(heads).isNotEmpty().allSatisfy(each -> assertThat(each).isSameAs(sent));
    }

    /** The owner of the store has just handed over: the request waits, and looks again. */
    @Test
    void aRequestThatBothRefuseWaitsAndFindsItsOwnerAgain() throws Exception {
        List<Boolean> refusals = new ArrayList<>();
        store.whenChangeAwaited =
                () -> {
                    first.put(STORE, role((head, body) -> ok("store")));
                    store.whenChangeAwaited = () -> {};
                };
        RawConnection client =
                client(
                        (head, body, wasRefused) -> {
                            refusals.add(wasRefused);
                            return placed(head, body, wasRefused);
                        });
        assertThat(get(client, "/c/k")).isEqualTo("200 store");
        assertThat(refusals.getFirst()).isFalse();
        assertThat(refusals.subList(1, refusals.size())).isNotEmpty().containsOnly(true);
        assertThat(store.changesAwaited).hasValue(1);
        assertThat(cube.changesAwaited).hasValue(0);
    }

    /** The placements may have changed while a request waits for an owner that does not come. */
    @Test
    void aRequestThatWaitsForAnOwnerLooksAgainWhereItBelongs() throws Exception {
        first.put(STORE, role((head, body) -> ok("store")));
        cube.now = Optional.empty();
        AtomicInteger looks = new AtomicInteger();
        RawConnection client =
                client((head, body, wasRefused) -> looks.incrementAndGet() < 3 ? cube : store);
        assertThat(get(client, "/c/k")).isEqualTo("200 store");
        assertThat(looks).hasValue(3);
    }

    /** An owner that ends each connection once it has a request. */
    private Owner cutting(AtomicInteger requests, long election) throws IOException {
        ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        open.add(listening);
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (!listening.isClosed()) {
                                try (Socket each = listening.accept()) {
                                    if (each.getInputStream().read() >= 0) {
                                        requests.incrementAndGet();
                                    }
                                } catch (IOException e) {
                                    // Closed at the end.
                                }
                            }
                        });
        return new Owner("127.0.0.1:" + listening.getLocalPort(), election);
    }

    /** Also when other owners get it in between. */
    @Test
    void aReadIsSentToEachOwnerTwiceAtMost() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        store.now = Optional.of(cutting(requests, STORE));
        cube.now = Optional.of(cutting(requests, CUBE));
        RawConnection client =
                client((head, body, wasRefused) -> looks.getAndIncrement() % 2 == 0 ? cube : store);
        assertThat(get(client, "/c/k")).startsWith("503 ");
        assertThat(requests).hasValue(3);
    }

    @Test
    void theEndOfAnElectionCutsItsRequestsAlone() throws Exception {
        CountDownLatch handled = new CountDownLatch(2);
        CountDownLatch isOver = new CountDownLatch(1);
        S3Handler waiting =
                (head, body) -> {
                    handled.countDown();
                    await(isOver);
                    return ok("done");
                };
        first.put(STORE, role(waiting));
        second.put(CUBE, role(waiting));
        pool.retain(Set.of(STORE, CUBE));
        RawConnection ofStore = client(this::placed);
        RawConnection ofCube = client(this::placed);
        ofStore.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
        ofCube.send("DELETE /c/k HTTP/1.1\r\nHost: h\r\n\r\n");
        await(handled);
        pool.retain(Set.of(STORE));
        assertThat(ofCube.read().status()).isEqualTo(503);
        isOver.countDown();
        assertThat(ofStore.read().text()).isEqualTo("done");
    }

    @Test
    void idleConnectionsAreForTheirElectionAlone() throws Exception {
        HopConnection ofStore = pool.take(firstAddress, STORE);
        HopConnection ofCube = pool.take(firstAddress, CUBE);
        pool.giveBack(ofStore);
        pool.giveBack(ofCube);
        assertThat(pool.take(firstAddress, STORE)).isSameAs(ofStore);
        assertThat(pool.take(firstAddress, STORE)).isNotSameAs(ofCube);
        assertThat(pool.take(firstAddress, CUBE)).isSameAs(ofCube);
    }

    /** An owner that is lost cuts all its connections, and others keep theirs. */
    @Test
    void aLostConnectionClosesTheIdleOnesOfItsElection() throws Exception {
        HopConnection lost = pool.take(firstAddress, STORE);
        HopConnection idle = pool.take(firstAddress, STORE);
        HopConnection ofCube = pool.take(firstAddress, CUBE);
        pool.giveBack(idle);
        pool.giveBack(ofCube);
        pool.lost(lost);
        assertThat(pool.take(firstAddress, STORE)).isNotSameAs(idle);
        assertThat(pool.take(firstAddress, CUBE)).isSameAs(ofCube);
    }

    /** A request that knows an earlier owner must not wait for a machine that is gone. */
    @Test
    void anElectionThatIsOverGetsNoConnection() throws Exception {
        HopConnection idle = pool.take(firstAddress, STORE);
        HopConnection used = pool.take(firstAddress, STORE);
        pool.giveBack(idle);
        pool.retain(Set.of(CUBE));
        pool.giveBack(used);
        assertThatThrownBy(() -> pool.take(firstAddress, STORE)).hasMessageContaining("changed");
        // A request may know a later election before the thread that follows elections.
        assertThat(pool.take(firstAddress, CUBE + 1).election()).isEqualTo(CUBE + 1);
        pool.retain(Set.of());
        assertThatThrownBy(() -> pool.take(firstAddress, CUBE)).hasMessageContaining("changed");
    }

    /** A node that knows no placement, and the owner of the store forwards to that of the cube. */
    private RawConnection overTheOwnerOfTheStore(RequestWatch watch) throws IOException {
        first.put(STORE, role(forwarder((head, body, wasRefused) -> cube)));
        second.put(
                CUBE,
                role(
                        (head, body) -> {
                            arrived.add(head);
                            return echo(head, body);
                        },
                        watch));
        return client((head, body, wasRefused) -> store);
    }

    @Test
    void theOwnerOfACubeSeesTheClientThroughTwoHops() throws Exception {
        Path file = directory.resolve("access.log");
        BlockingQueue<String> logged = new LinkedBlockingQueue<>();
        Response response;
        try (AccessLog log = AccessLog.toFile(file, RequestWatch.NONE, () -> NOW)) {
            RawConnection client = overTheOwnerOfTheStore(noting(logged, "", log));
            client.send(
                    "GET /c/a%2Fb?x=%7E HTTP/1.1\r\nHost: c.example.org:9\r\n"
                            + "X-Forwarded-For: 203.0.113.7\r\nX-Volute-Hop: S3\r\n\r\n");
            response = client.read();
            assertThat(logged.poll(HANG_SECONDS, TimeUnit.SECONDS)).isEqualTo("/c/a%2Fb");
        }
        assertThat(response.text()).isEqualTo("GET ");
        assertThat(response.headers().stream().map(line -> line.replaceAll(":.*", "")))
                .doesNotHaveDuplicates();
        HttpHead head = arrived.poll(HANG_SECONDS, TimeUnit.SECONDS);
        assertThat(head.rawPath()).isEqualTo("/c/a%2Fb");
        assertThat(head.rawQuery()).isEqualTo("x=%7E");
        assertThat(head.headers().headers())
                .containsExactly(
                        new Header("host", "c.example.org:9"),
                        new Header("x-forwarded-for", "203.0.113.7"));
        assertThat(response.header("x-amz-request-id")).contains(head.requestId());
        assertThat(sourceAddress(head)).containsExactly("203.0.113.7");
        assertThat(Files.readString(file))
                .contains("203.0.113.7")
                .contains(head.requestId())
                .doesNotContain("127.0.0.1");
    }

    /** Returns the value of the condition key by which policies limit addresses. */
    private static List<String> sourceAddress(HttpHead head) {
        Verified anonymous =
                new Verified(
                        Credential.ANONYMOUS,
                        Kind.NONE,
                        PayloadMode.UNSIGNED_PAYLOAD,
                        "",
                        head.headers(),
                        null,
                        NOW);
        return new RequestKeys(head, QueryParameters.parse(""), anonymous, NOW)
                .values("aws:sourceip");
    }

    @Test
    void bodiesPassThroughTwoHops() throws Exception {
        RawConnection client = overTheOwnerOfTheStore(RequestWatch.NONE);
        client.send("PUT /c/k HTTP/1.1\r\nHost: h\r\n" + EXPECT + "\r\n");
        assertThat(client.read().status()).isEqualTo(100);
        client.send("hi");
        assertThat(client.read().text()).isEqualTo("PUT hi");
        client.send("PUT /c/k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send("5\r\nhello\r\n0\r\n\r\n");
        assertThat(client.read().text()).isEqualTo("PUT hello");
    }

    /** The cube moves on while a request is on its way: the owner of the store tries again. */
    @Test
    void aRefusalOfTheSecondHopStaysBetweenTheOwners() throws Exception {
        RawConnection client = overTheOwnerOfTheStore(RequestWatch.NONE);
        Handlers present = second.remove(CUBE);
        cube.whenChangeAwaited = () -> second.put(CUBE, present);
        client.send("DELETE /c/k HTTP/1.1\r\nHost: h\r\n\r\n");
        Response response = client.read();
        assertThat(response.text()).isEqualTo("DELETE ");
        assertThat(response.header(HopSeal.HEADER)).isEmpty();
        assertThat(arrived).hasSize(1);
        assertThat(store.changesAwaited).hasValue(0);
    }
}
