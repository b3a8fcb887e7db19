package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.RawConnection;
import io.volute.server.http.Tls;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.testkit.tls.TestAuthority;
import io.volute.testkit.tls.TestAuthority.Identity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mutual TLS between a node and the owner, and strangers who connect to the owner. */
@Tag("slow")
class HopTlsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String SECRET_BODY = "the-content-of-an-object-that-nobody-may-read";
    private static final Duration PATIENCE = Duration.ofMillis(1);

    @TempDir private Path directory;
    private final HopSeal seal =
            new HopSeal(
                    "0123456789abcdef".getBytes(StandardCharsets.US_ASCII),
                    () -> NOW,
                    new Random(1));
    private final AtomicInteger handled = new AtomicInteger();
    private volatile S3Handler store = this::echo;
    private TestAuthority authority;
    private HttpServer owner;

    private S3Response echo(Object head, RequestBody body) {
        handled.incrementAndGet();
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
        return new S3Response(200, List.of(), new Content.Bytes(all.toByteArray()));
    }

    private TlsFiles files(TestAuthority by, String name) throws IOException {
        Identity identity = by.sign(name, "CN=" + name);
        return new TlsFiles(
                "cluster.tls",
                identity.certificate(),
                identity.key(),
                Optional.of(authority.certificate()));
    }

    @BeforeEach
    void start() throws IOException {
        authority = new TestAuthority(directory.resolve("cluster"), "cluster");
        Handlers handlers =
                new Handlers(
                        (head, body) -> store.handle(head, body),
                        store,
                        HopGate.REFUSED,
                        RequestWatch.NONE);
        HopGate hops =
                new HopGate(
                        seal,
                        Readiness.ALWAYS,
                        RequestWatch.NONE,
                        election -> Optional.of(handlers).filter(role -> election == 1));
        HttpSettings settings =
                new HttpSettings(
                        ANY,
                        Optional.of(files(authority, "owner")),
                        Caps.defaults(),
                        Timeouts.defaults());
        owner = HttpServer.start(settings, hops, () -> NOW, new Random(1));
    }

    @AfterEach
    void stop() {
        owner.close();
    }

    private HttpServer node(HopPool pool, int port) throws IOException {
        Owner at = new Owner("127.0.0.1:" + port, 1);
        Forwarder.Owners owners =
                new Forwarder.Owners() {
                    @Override
                    public Optional<Owner> await(long nanos) {
                        return Optional.of(at);
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
                        PATIENCE,
                        System::nanoTime,
                        new Counts());
        return HttpServer.start(
                HttpSettings.plain(ANY),
                new Service(forwarder, Readiness.ALWAYS, RequestWatch.NONE),
                () -> NOW,
                new Random(2));
    }

    private HopPool pool(TlsFiles files) throws IOException {
        return new HopPool(System::nanoTime, Tls.open(Optional.of(files)));
    }

    private static String put(RawConnection client, String body) throws IOException {
        client.send(
                "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length() + "\r\n\r\n");
        client.send(body);
        RawConnection.Response response = client.read();
        return response.status() + " " + response.text();
    }

    /** A wire between node and owner that keeps all bytes. */
    private static final class Wire implements AutoCloseable {
        private final ServerSocket listening =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
        private final int target;

        Wire(int target) throws IOException {
            this.target = target;
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            try {
                while (true) {
                    Socket from = listening.accept();
                    Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
                    Thread.ofVirtual().start(() -> copy(from, to));
                    Thread.ofVirtual().start(() -> copy(to, from));
                }
            } catch (IOException e) {
                // Closed at the end.
            }
        }

        private void copy(Socket from, Socket to) {
            byte[] bytes = new byte[8192];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    synchronized (seen) {
                        seen.write(bytes, 0, read);
                    }
                    out.write(bytes, 0, read);
                }
            } catch (IOException e) {
                // The other direction has ended.
            }
        }

        String seen() {
            synchronized (seen) {
                return seen.toString(StandardCharsets.ISO_8859_1);
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    @Test
    void nobodyOnTheWireReadsBodiesOrSeals() throws Exception {
        try (HopPool pool = pool(files(authority, "node"));
                Wire wire = new Wire(owner.address().getPort());
                HttpServer node = node(pool, wire.listening.getLocalPort());
                RawConnection client = new RawConnection(node.address())) {
            assertThat(put(client, SECRET_BODY)).isEqualTo("200 " + SECRET_BODY);
            assertThat(put(client, SECRET_BODY)).isEqualTo("200 " + SECRET_BODY);
            assertThat(wire.seen())
                    .isNotEmpty()
                    .doesNotContain(SECRET_BODY)
                    .doesNotContain(HopSeal.HEADER)
                    .doesNotContain("/b/k");
        }
    }

    @Test
    void largeBodiesPassBothWays() throws Exception {
        String body = "0123456789abcdef".repeat(200_000);
        try (HopPool pool = pool(files(authority, "node"));
                HttpServer node = node(pool, owner.address().getPort());
                RawConnection client = new RawConnection(node.address())) {
            assertThat(put(client, body)).isEqualTo("200 " + body);
        }
    }

    /** TLS 1.3 sends tickets after the handshake, which are no answer. */
    @Test
    void anEarlyAnswerEndsTheBodyAndOnlyAnAnswerDoes() throws Exception {
        try (HopPool pool = pool(files(authority, "node"));
                HttpServer node = node(pool, owner.address().getPort())) {
            try (RawConnection client = new RawConnection(node.address())) {
                client.send(
                        "PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n"
                                + "Expect: 100-continue\r\n\r\n");
                assertThat(client.read().status()).isEqualTo(100);
                client.send("0123456789");
                assertThat(client.read().text()).isEqualTo("0123456789");
            }
            store = (head, body) -> new S3Response(403, List.of(), new Content.None(-1));
            try (RawConnection client = new RawConnection(node.address())) {
                client.send("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
                client.send(new byte[100_000]);
                Thread sender = Thread.ofVirtual().start(() -> sendUntilClosed(client));
                assertThat(client.read().status()).isEqualTo(403);
                client.reset();
                sender.join();
            }
        }
    }

    private static void sendUntilClosed(RawConnection client) {
        try {
            while (true) {
                client.send(new byte[64 * 1024]);
            }
        } catch (IOException e) {
            // The server has closed the connection.
        }
    }

    private void requireRefused(SSLSocketFactory sockets) throws IOException {
        try (Socket socket = sockets.createSocket("127.0.0.1", owner.address().getPort())) {
            assertThatThrownBy(
                            () -> {
                                ((SSLSocket) socket).startHandshake();
                                // With TLS 1.3 the server refuses after the client's part.
                                socket.getOutputStream()
                                        .write(
                                                "GET / HTTP/1.1\r\n\r\n"
                                                        .getBytes(StandardCharsets.US_ASCII));
                                if (socket.getInputStream().read() < 0) {
                                    throw new SSLException("closed");
                                }
                            })
                    .isInstanceOf(IOException.class);
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void strangersAreRefused() throws Exception {
        TestAuthority others = new TestAuthority(directory.resolve("others"), "others");
        Tls trusting = Tls.open(Optional.of(files(others, "stranger"))).orElseThrow();
        requireRefused(trusting.sockets());
        requireRefused(
                io.volute.adminapi.tls.Authorities.trusted(
                                "ca", Optional.of(authority.certificate()))
                        .getSocketFactory());
        try (RawConnection plain = new RawConnection(owner.address())) {
            plain.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            // An alert may come first.
            assertThat(new String(plain.input().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP/1.1");
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void aNodeRefusesAnOwnerOfAnotherAuthority() throws Exception {
        TestAuthority others = new TestAuthority(directory.resolve("others"), "others");
        Identity identity = others.sign("node", "CN=node");
        TlsFiles trustsOthers =
                new TlsFiles(
                        "cluster.tls",
                        identity.certificate(),
                        identity.key(),
                        Optional.of(others.certificate()));
        try (HopPool pool = pool(trustsOthers);
                HttpServer node = node(pool, owner.address().getPort());
                RawConnection client = new RawConnection(node.address())) {
            assertThat(put(client, SECRET_BODY)).startsWith("503 ");
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void renewedFilesAreForTheNextConnections() throws Exception {
        TlsFiles files = files(authority, "node");
        try (HopPool pool = pool(files);
                HttpServer node = node(pool, owner.address().getPort());
                RawConnection client = new RawConnection(node.address())) {
            assertThat(put(client, "a")).isEqualTo("200 a");
            // From now on, the owner trusts another authority, and has a certificate of it.
            TestAuthority next = new TestAuthority(directory.resolve("next"), "next");
            replace(next.sign("owner", "CN=owner").certificate(), "cluster/owner.pem");
            replace(directory.resolve("next/owner.key"), "cluster/owner.key");
            replace(next.certificate(), "cluster/cluster.pem");
            assertThat(owner.reloadTls()).isTrue();
            pool.retain(Set.of(2L));
            pool.retain(Set.of(1L));
            assertThat(put(client, "b")).startsWith("503 ");
            replace(next.sign("node", "CN=node").certificate(), "cluster/node.pem");
            replace(directory.resolve("next/node.key"), "cluster/node.key");
            assertThat(put(client, "c")).isEqualTo("200 c");
        }
    }

    private void replace(Path by, String file) throws IOException {
        Files.move(by, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aCertificateThatOthersWouldRefuseIsFoundAtTheStart() throws Exception {
        Tls own = Tls.open(Optional.of(files(authority, "node"))).orElseThrow();
        assertThatCode(() -> own.requireAccepted("127.0.0.1")).doesNotThrowAnyException();
        assertThatCode(() -> own.requireAccepted("localhost")).doesNotThrowAnyException();
        assertThatThrownBy(() -> own.requireAccepted("node7.example.org"))
                .hasMessageContaining("cluster.tls.certificate")
                .hasMessageContaining("it must name node7.example.org");
        TestAuthority others = new TestAuthority(directory.resolve("others"), "others");
        Tls other = Tls.open(Optional.of(files(others, "other"))).orElseThrow();
        assertThatThrownBy(() -> other.requireAccepted("127.0.0.1"))
                .hasMessageContaining("be of an authority in cluster.tls.ca");
        TlsFiles broken =
                new TlsFiles(
                        "cluster.tls",
                        directory.resolve("cluster/node.pem"),
                        directory.resolve("cluster/owner.key"),
                        Optional.of(authority.certificate()));
        assertThatThrownBy(() -> Tls.open(Optional.of(broken)))
                .hasMessageContaining("cluster.tls.key")
                .hasMessageContaining("is not the key of cluster.tls.certificate");
    }
}
