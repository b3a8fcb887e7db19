package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.Forwarder.Owners;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.hop.NodeCalls.UnseenException;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.RawConnection;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls between two nodes over a real socket, and attempts of strangers to make one. */
class NodeCallsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long ELECTION = 7;

    private final HopSeal seal = seal("0123456789abcdef", 1);
    private final HopPool pool = new HopPool(System::nanoTime, Optional.empty());
    private final NodeCalls calls = new NodeCalls(seal, pool, new Random(2));
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private volatile Operation operation = content -> content;
    private HttpServer server;
    private Owner to;

    private static HopSeal seal(String secret, long seed) {
        return new HopSeal(bytes(secret), () -> NOW, new Random(seed));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static S3Response s3(HttpHead head) {
        return new S3Response(
                200, List.of(), new Content.Bytes(bytes("S3 " + head.headers().headers().size())));
    }

    @BeforeEach
    void start() throws IOException {
        NodeCallHandler handler =
                new NodeCallHandler(
                        seal("0123456789abcdef", 3),
                        Map.of(
                                "reads-since",
                                content -> {
                                    handled.add(new String(content, StandardCharsets.UTF_8));
                                    return operation.handle(content);
                                }));
        S3Handler s3 = (head, body) -> s3(head);
        Handlers handlers = new Handlers(s3, s3, handler, RequestWatch.NONE);
        HopGate gate =
                new HopGate(
                        seal("0123456789abcdef", 3),
                        Readiness.ALWAYS,
                        RequestWatch.NONE,
                        election -> Optional.of(handlers).filter(role -> election == ELECTION));
        server = HttpServer.start(HttpSettings.plain(ANY), gate, () -> NOW, new Random(4));
        to = new Owner("127.0.0.1:" + server.address().getPort(), ELECTION);
    }

    @AfterEach
    void stop() {
        server.close();
        pool.close();
    }

    private byte[] call(byte[] content) throws IOException {
        return calls.call(to, "reads-since", content, LIMIT);
    }

    @Test
    void aCallReturnsTheResult() throws IOException {
        byte[] large = new byte[NodeCalls.MOST_BYTES];
        new Random(5).nextBytes(large);
        for (byte[] each : List.of(new byte[0], bytes("a\nb"), large)) {
            assertThat(call(each)).isEqualTo(each);
        }
        operation = content -> large;
        assertThat(call(new byte[0])).isEqualTo(large);
    }

    @Test
    void theNextCallUsesTheSameConnection() throws Exception {
        assertThat(call(bytes("a"))).isEqualTo(bytes("a"));
        HopConnection kept = pool.take(to.address(), ELECTION);
        pool.giveBack(kept);
        assertThat(call(bytes("b"))).isEqualTo(bytes("b"));
        assertThat(pool.take(to.address(), ELECTION)).isSameAs(kept);
    }

    @Test
    void knownFailuresKeepTheirKind() {
        operation =
                content -> {
                    throw new StoreException(StoreException.Reason.NO_SUCH_KEY, "no key \u00e9");
                };
        assertThatThrownBy(() -> call(bytes("a")))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.NO_SUCH_KEY))
                .hasMessage("no key \u00e9");
        CubeUnavailableException plain =
                new CubeUnavailableException(CubeUnavailableException.Reason.BUSY, "wait");
        CubeUnavailableException closed =
                new CubeUnavailableException(
                        CubeUnavailableException.Reason.NOT_OPEN, "cube c is in recovery");
        for (CubeUnavailableException each :
                List.of(plain, plain.in("c"), closed, closed.in("c"))) {
            operation =
                    content -> {
                        throw each;
                    };
            assertThatThrownBy(() -> call(bytes("a")))
                    .isInstanceOfSatisfying(
                            CubeUnavailableException.class,
                            e -> {
                                assertThat(e.reason()).isEqualTo(each.reason());
                                assertThat(e.cube()).isEqualTo(each.cube());
                            })
                    .hasMessage(each.getMessage());
        }
    }

    @Test
    void otherFailuresNameTheNode() {
        operation =
                content -> {
                    throw new IOException("the disk is gone");
                };
        assertThatThrownBy(() -> call(bytes("a")))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("node " + to.address() + ": the disk is gone");
        operation =
                content -> {
                    throw new IllegalStateException("broken");
                };
        assertThatThrownBy(() -> call(bytes("a")))
                .isExactlyInstanceOf(IOException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("broken");
        assertThatThrownBy(() -> calls.call(to, "other", bytes("a"), LIMIT))
                .isExactlyInstanceOf(IOException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("no operation other");
    }

    @Test
    void longContentsAndResultsAreRefused() {
        byte[] tooLong = new byte[NodeCalls.MOST_BYTES + 1];
        assertThatThrownBy(() -> call(tooLong))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("too many");
        assertThat(handled).isEmpty();
        operation = content -> tooLong;
        assertThatThrownBy(() -> call(bytes("a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("too many");
        assertThatThrownBy(() -> calls.call(to, "a/b", bytes("a"), LIMIT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The node has another role now, or none. */
    @Test
    void aNodeWithoutTheRoleRefuses() {
        Owner before = new Owner(to.address(), ELECTION - 1);
        assertThatThrownBy(() -> calls.call(before, "reads-since", bytes("a"), LIMIT))
                .isInstanceOf(UnseenException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("no such role");
        assertThat(handled).isEmpty();
    }

    @Test
    void aNodeThatIsGoneIsAFailure() throws Exception {
        server.close();
        assertThatThrownBy(() -> call(bytes("a")))
                .isInstanceOf(UnseenException.class)
                .hasMessageContaining(to.address());
    }

    /** The node may have done what a call without an answer asked for. */
    @Test
    void aCallWithoutAnAnswerMayHaveBeenSeen() throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Owner owner = new Owner("127.0.0.1:" + mute.getLocalPort(), ELECTION + 1);
            Thread unused =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (Socket socket = mute.accept()) {
                                            int first = socket.getInputStream().read();
                                            assertThat(first).isEqualTo('P');
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    });
            assertThatThrownBy(() -> calls.call(owner, "reads-since", bytes("a"), LIMIT))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessageContaining(owner.address());
        }
    }

    /** A node that was stopped answers again with the next connection, and not with an idle one. */
    @Test
    void aLostConnectionClosesTheIdleOnes() throws Exception {
        HopConnection one = pool.take(to.address(), ELECTION);
        HopConnection two = pool.take(to.address(), ELECTION);
        pool.giveBack(one);
        pool.giveBack(two);
        two.close();
        assertThatThrownBy(() -> call(bytes("a"))).isInstanceOf(IOException.class);
        assertThat(pool.take(to.address(), ELECTION)).isNotSameAs(one);
    }

    @Test
    void aNodeThatDoesNotAnswerIsLeftInTime() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        operation =
                content -> {
                    try {
                        assertThat(isOver.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return content;
                };
        assertThatThrownBy(() -> calls.call(to, "reads-since", bytes("a"), Duration.ofMillis(100)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(to.address())
                .hasMessageContaining("within 100 ms");
        isOver.countDown();
        operation = content -> bytes("next");
        assertThat(call(bytes("b"))).isEqualTo(bytes("next"));
    }

    /** The connection of a call that was given up must not have its late answer for the next. */
    @Test
    void aCallThatIsGivenUpCutsItsConnection() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Owner owner = new Owner("127.0.0.1:" + silent.getLocalPort(), ELECTION + 1);
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread caller =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            calls.call(owner, "reads-since", bytes("a"), LIMIT);
                                        } catch (IOException e) {
                                            failure.complete(e);
                                        }
                                    });
            try (Socket socket = silent.accept()) {
                socket.setSoTimeout((int) LIMIT.toMillis());
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                caller.interrupt();
                assertThat(failure.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(InterruptedIOException.class);
                // Ends with the connection.
                assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
            }
        }
    }

    @Test
    void anInterruptedCallerGoesOn() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> call(bytes("a"))).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    // ---- strangers

    private static HttpHead head(String content) {
        return new HttpHead(
                "POST",
                "/reads-since",
                "",
                new HeaderList(
                        List.of(
                                new Header("host", "node"),
                                new Header("content-length", Integer.toString(content.length())),
                                new Header(NodeCalls.CONTENT, HopSeal.digest(bytes(content))))),
                false,
                "",
                content.length(),
                "REQ");
    }

    private static String request(HttpHead head, String sealed, String content) {
        StringBuilder text = new StringBuilder("POST /reads-since HTTP/1.1\r\n");
        head.headers()
                .headers()
                .forEach(each -> text.append(each.name() + ": " + each.value() + "\r\n"));
        return text + HopSeal.HEADER + ": " + sealed + "\r\n\r\n" + content;
    }

    private RawConnection.Response answer(InetSocketAddress at, String request) throws IOException {
        try (RawConnection stranger = new RawConnection(at)) {
            stranger.send(request);
            return stranger.read();
        }
    }

    @Test
    void nobodyCallsWithoutTheSecret() throws Exception {
        HttpHead head = head("evil");
        HopSeal other = seal("another-secret-of-another-cluster", 1);
        for (String forged :
                List.of(
                        "NODES",
                        "-",
                        other.seal(Entrance.NODES, head, ELECTION),
                        seal.seal(Entrance.S3, head, ELECTION).replace(" S3 ", " NODES "))) {
            assertThat(answer(server.address(), request(head, forged, "evil")).status())
                    .as(forged)
                    .isEqualTo(403);
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void aCapturedCallIsHandledOnce() throws Exception {
        HttpHead head = head("once");
        String captured = request(head, seal.seal(Entrance.NODES, head, ELECTION), "once");
        assertThat(answer(server.address(), captured).status()).isEqualTo(200);
        assertThat(answer(server.address(), captured).status()).isEqualTo(503);
        assertThat(handled).containsExactly("once");
    }

    /** No client has signed the content, so the digest beneath the seal protects it. */
    @Test
    void aChangedContentIsNotHandled() throws Exception {
        HttpHead head = head("good");
        String changed = request(head, seal.seal(Entrance.NODES, head, ELECTION), "evil");
        assertThat(answer(server.address(), changed).text()).startsWith("failed\n");
        HttpHead without = head.with(new HeaderList(head.headers().headers().subList(0, 2)));
        String bare = request(without, seal.seal(Entrance.NODES, without, ELECTION), "evil");
        assertThat(answer(server.address(), bare).text()).startsWith("failed\n");
        assertThat(handled).isEmpty();
    }

    /** Somebody in the network answers in place of the node. */
    @Test
    void aForgedAnswerIsNoResult() throws Exception {
        String ofAnotherCall =
                seal.sealAnswer("REQ", "reads-since", NodeAnswer.of(bytes("forged")));
        for (String header :
                List.of(
                        "",
                        NodeCalls.ANSWER + ": x\r\n",
                        NodeCalls.ANSWER + ": " + ofAnotherCall + "\r\n")) {
            try (ServerSocket listening =
                    new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
                Thread.ofVirtual().start(() -> forge(listening, header));
                Owner owner = new Owner("127.0.0.1:" + listening.getLocalPort(), ELECTION + 1);
                assertThatThrownBy(() -> calls.call(owner, "reads-since", bytes("a"), LIMIT))
                        .as(header)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("not sealed");
            }
        }
    }

    private static void forge(ServerSocket listening, String header) {
        byte[] answer = NodeAnswer.of(bytes("forged"));
        String head = "HTTP/1.1 200 OK\r\nContent-Length: " + answer.length + "\r\n" + header;
        try (Socket socket = listening.accept()) {
            socket.getOutputStream().write(bytes(head + "\r\n"));
            socket.getOutputStream().write(answer);
            socket.getOutputStream().flush();
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The caller has closed the connection.
        }
    }

    /** A node's listener for clients seals for the entrance of the client alone. */
    @Test
    void aClientCannotNameThisEntrance() throws Exception {
        Owners owners =
                new Owners() {
                    @Override
                    public Optional<Owner> await(long nanos) {
                        return Optional.of(to);
                    }

                    @Override
                    public void awaitChange(long election, long nanos) {}
                };
        Forwarder forwarder =
                new Forwarder(
                        Entrance.S3,
                        seal,
                        pool,
                        (head, body, wasRefused) -> owners,
                        LIMIT,
                        System::nanoTime,
                        new Counts());
        HttpHead head = head("evil");
        HopSeal other = seal("another-secret-of-another-cluster", 1);
        try (HttpServer node =
                HttpServer.start(
                        HttpSettings.plain(ANY),
                        new Service(forwarder, Readiness.ALWAYS, RequestWatch.NONE),
                        () -> NOW,
                        new Random(6))) {
            // The owner gets the three headers of the client, and the expectation of the node.
            for (String named : List.of("NODES", other.seal(Entrance.NODES, head, ELECTION))) {
                assertThat(answer(node.address(), request(head, named, "evil")).text())
                        .isEqualTo("S3 4");
            }
        }
        assertThat(handled).isEmpty();
    }
}
