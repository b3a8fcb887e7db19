package io.volute.server.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.Addresses.Resolver;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks of a server that is called, and of those who answer for its name. */
class HttpClientTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int MOST_BYTES = 1000;
    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    /** One for each connection; the last one serves all further connections. */
    private final Deque<Script> scripts = new ArrayDeque<>();

    private ServerSocket server;
    private HttpClient client;

    /** The behaviour of the server on one connection. */
    private interface Script {
        void run(InputStream in, OutputStream out) throws IOException, InterruptedException;
    }

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        client = client("http", Resolver.OF_SYSTEM);
        Thread.ofVirtual().start(this::accept);
    }

    @AfterEach
    void stop() throws IOException {
        over.countDown();
        client.close();
        server.close();
    }

    private HttpClient client(String scheme, Resolver resolver) {
        URI origin = URI.create(scheme + "://server.example:" + server.getLocalPort());
        Resolver local =
                resolver == Resolver.OF_SYSTEM
                        ? host -> new InetAddress[] {InetAddress.getLoopbackAddress()}
                        : resolver;
        SSLSocketFactory tls = (SSLSocketFactory) SSLSocketFactory.getDefault();
        return new HttpClient(origin, new Addresses(local, true, Plain.EVERYWHERE), tls);
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                Script script = scripts.size() > 1 ? scripts.poll() : scripts.peek();
                Thread.ofVirtual().start(() -> serve(socket, script));
            } catch (IOException e) {
                return; // The test has ended.
            }
        }
    }

    private static void serve(Socket socket, Script script) {
        try (socket) {
            script.run(socket.getInputStream(), socket.getOutputStream());
        } catch (IOException e) {
            return; // The client has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads a request without content; returns false at the end of the connection. */
    private boolean hasRequest(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return false;
            }
            head.append((char) next);
        }
        requests.add(head.substring(0, head.indexOf(" HTTP/1.1")));
        return true;
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Answers each request with this text. */
    private Script answering(String text) {
        return (in, out) -> {
            while (hasRequest(in)) {
                write(out, text);
            }
        };
    }

    /** Answers a request with this text, and closes the connection. */
    private Script ending(String text) {
        return (in, out) -> {
            assertThat(hasRequest(in)).isTrue();
            write(out, text);
        };
    }

    /** Answers with this text, and then with another one for ever. */
    private Script endless(String begin, String piece) {
        return (in, out) -> {
            assertThat(hasRequest(in)).isTrue();
            write(out, begin);
            while (true) {
                write(out, piece);
            }
        };
    }

    /** Answers with this text, and then with a byte each moment, so that no read waits long. */
    private Script dripping(String begin) {
        return (in, out) -> {
            assertThat(hasRequest(in)).isTrue();
            write(out, begin);
            while (!over.await(5, TimeUnit.MILLISECONDS)) {
                write(out, "x");
            }
        };
    }

    private static HttpClient.Request get(String target) {
        return new HttpClient.Request("GET", target, Map.of(), Content.NONE);
    }

    private HttpClient.Answer send() throws IOException {
        return client.send(get("/a"), LONG, MOST_BYTES);
    }

    private void assertGivenUp(Script script) {
        scripts.add(script);
        assertThatThrownBy(() -> client.send(get("/a"), SHORT, MOST_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no answer within 200 ms");
    }

    private void assertRefused(Script script, String message) {
        scripts.add(script);
        assertThatThrownBy(this::send)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    // ---- addresses

    /** DNS rebinding: the name leads to a checked address first, and elsewhere at once. */
    @Test
    void theConnectionGoesToTheAddressThatWasChecked() throws IOException {
        scripts.add(ending(OK));
        List<String> resolved = new ArrayList<>();
        client =
                client(
                        "http",
                        host -> {
                            resolved.add(host);
                            String address = resolved.size() == 1 ? "127.0.0.1" : "169.254.169.254";
                            return new InetAddress[] {InetAddress.getByName(address)};
                        });
        assertThat(send().status()).isEqualTo(200);
        assertThat(resolved).containsExactly("server.example");
        // The server has closed the first connection.
        assertThatThrownBy(this::send)
                .hasMessageContaining("169.254.169.254, which is not allowed");
        assertThat(requests).containsExactly("GET /a");
    }

    /** One good address among them must not help the others. */
    @Test
    void aNameWithOneForbiddenAddressIsRefused() {
        client =
                client(
                        "http",
                        host ->
                                new InetAddress[] {
                                    InetAddress.getLoopbackAddress(),
                                    InetAddress.getByName("169.254.169.254")
                                });
        assertRefused(ending(OK), "169.254.169.254, which is not allowed");
        assertThat(requests).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://169.254.169.254/latest/meta-data",
                "http://127.0.0.1/",
                "//169.254.169.254/"
            })
    void aRedirectIsAnAnswer(String location) throws IOException {
        scripts.add(
                answering(
                        "HTTP/1.1 307 Moved\r\nlocation: "
                                + location
                                + "\r\ncontent-length: 0\r\n\r\n"));
        assertThat(send().status()).isEqualTo(307);
        assertThat(requests).containsExactly("GET /a");
    }

    // ---- time

    @Test
    void aSilentServerIsGivenUp() {
        assertGivenUp((in, out) -> over.await());
    }

    @Test
    void aHeadThatDripsIsGivenUp() {
        assertGivenUp(dripping("HTTP/1.1 200 OK\r\nx-a: "));
    }

    @Test
    void aBodyThatDripsIsGivenUp() {
        assertGivenUp(dripping("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"));
    }

    @Test
    void aBodyWithoutALengthThatDripsIsGivenUp() {
        assertGivenUp(dripping("HTTP/1.1 200 OK\r\n\r\n"));
    }

    /** The time is that of the call, not of each of its attempts. */
    @Test
    void aBodyThatDripsOverAKeptConnectionIsGivenUpOnce() throws IOException {
        scripts.add(
                (in, out) -> {
                    answering(OK).run(new OneRequest(in), out);
                    dripping("").run(in, out);
                });
        assertThat(send().status()).isEqualTo(200);
        assertGivenUp(answering(OK));
        assertThat(requests).hasSizeLessThanOrEqualTo(2);
    }

    /** Ends after the first request. */
    private static final class OneRequest extends InputStream {
        private final InputStream in;
        private String last = "";

        OneRequest(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            if (last.endsWith("\r\n\r\n")) {
                return -1;
            }
            int next = in.read();
            last += (char) next;
            return next;
        }
    }

    @Test
    void aServerThatEndsNoHandshakeIsGivenUp() {
        client = client("https", Resolver.OF_SYSTEM);
        assertGivenUp((in, out) -> over.await());
    }

    /** It has a first byte of a record of TLS, and drips. */
    @Test
    void aHandshakeThatDripsIsGivenUp() {
        client = client("https", Resolver.OF_SYSTEM);
        assertGivenUp(
                (in, out) -> {
                    out.write(new byte[] {22, 3, 3, 64, 0});
                    while (!over.await(5, TimeUnit.MILLISECONDS)) {
                        out.write(0);
                    }
                });
    }

    /** It would need more than the buffers of both sockets. */
    @Test
    void aServerThatTakesNoContentIsGivenUp() {
        scripts.add((in, out) -> over.await());
        HttpClient.Request request =
                new HttpClient.Request("PUT", "/a", Map.of(), Content.of(new byte[64 << 20]));
        assertThatThrownBy(() -> client.send(request, SHORT, MOST_BYTES))
                .hasMessageContaining("no answer within 200 ms");
    }

    @Test
    void aResolverThatDoesNotAnswerIsGivenUp() {
        client =
                client(
                        "http",
                        host -> {
                            try {
                                over.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            return new InetAddress[0];
                        });
        assertGivenUp(ending(OK));
    }

    @Test
    void aCloseEndsACallUnderWay() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        scripts.add(
                (in, out) -> {
                    assertThat(hasRequest(in)).isTrue();
                    asked.countDown();
                    over.await();
                });
        CompletableFuture<Void> call =
                CompletableFuture.runAsync(
                        () -> assertThatThrownBy(this::send).hasMessage("the client is closed"));
        asked.await();
        client.close();
        call.join();
        assertThatThrownBy(this::send).hasMessage("the client is closed");
    }

    @Test
    void anInterruptEndsACallOfAVirtualThread() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        scripts.add(
                (in, out) -> {
                    assertThat(hasRequest(in)).isTrue();
                    asked.countDown();
                    over.await();
                });
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        Thread caller =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        isInterrupted.completeExceptionally(
                                                new AssertionError(send()));
                                    } catch (InterruptedIOException e) {
                                        isInterrupted.complete(
                                                Thread.currentThread().isInterrupted());
                                    } catch (IOException e) {
                                        isInterrupted.completeExceptionally(e);
                                    }
                                });
        asked.await();
        caller.interrupt();
        assertThat(isInterrupted.join()).isTrue();
    }

    // ---- bytes

    @ParameterizedTest
    @ValueSource(strings = {"x-a: b\r\n", "x"})
    void anEndlessHeadIsNotRead(String piece) {
        scripts.add(endless("HTTP/1.1 200 OK\r\n", piece));
        assertThatThrownBy(this::send)
                .isInstanceOf(IOException.class)
                .message()
                .containsAnyOf("wrong headers", "too long a line");
    }

    @Test
    void endlessInterimAnswersAreNotRead() {
        assertRefused(endless("", "HTTP/1.1 100 Continue\r\n\r\n"), "answered with 100");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "transfer-encoding: chunked\r\n",
                "content-length: 1001\r\n",
                "content-length: 9999999999\r\n"
            })
    void anEndlessBodyIsNotRead(String header) {
        assertRefused(
                endless("HTTP/1.1 200 OK\r\n" + header + "\r\n", "a\r\n0123456789\r\n"),
                "the answer is longer than 1000 bytes");
    }

    @Test
    void aBodyOfTheMostBytesIsRead() throws IOException {
        String body = "x".repeat(MOST_BYTES);
        scripts.add(ending("HTTP/1.1 200 OK\r\n\r\n" + body));
        assertThat(send().body()).hasSize(MOST_BYTES);
    }

    @Test
    void aBodyThatIsCutOffIsRefused() {
        assertRefused(ending("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab"), "cut off");
    }

    // ---- connections

    @Test
    void aConnectionIsKeptForTheNextCall() throws IOException {
        scripts.add(answering(OK));
        scripts.add(ending("HTTP/1.1 500 of another connection\r\n\r\n"));
        assertThat(send().status()).isEqualTo(200);
        assertThat(send().status()).isEqualTo(200);
        assertThat(requests).hasSize(2);
    }

    @Test
    void aRequestOverAConnectionThatEndedIsSentAgain() throws IOException {
        scripts.add(ending(OK));
        scripts.add(answering(OK));
        assertThat(send().status()).isEqualTo(200);
        assertThat(send().status()).isEqualTo(200);
    }

    /** The other side has the request: it must not get it twice. */
    @Test
    void aRequestWhoseAnswerHasBegunIsNotSentAgain() throws IOException {
        scripts.add(
                (in, out) -> {
                    answering(OK).run(new OneRequest(in), out);
                    ending("HTTP/1.1 200 OK\r\ncontent-le").run(in, out);
                });
        scripts.add(answering(OK));
        assertThat(send().status()).isEqualTo(200);
        assertThatThrownBy(this::send).hasMessageContaining("cut off");
        assertThat(requests).hasSize(2);
    }

    /** Response splitting: what follows an answer must not answer the next request. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-length: 2\r\n\r\nok",
                "transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n"
            })
    void bytesBehindAnAnswerAnswerNoRequest(String rest) throws IOException {
        String forged = "HTTP/1.1 201 forged\r\ncontent-length: 0\r\n\r\n";
        scripts.add(ending("HTTP/1.1 200 OK\r\n" + rest + forged));
        scripts.add(answering(OK));
        assertThat(send().status()).isEqualTo(200);
        assertThat(send().status()).isEqualTo(200);
    }

    @Test
    void twoLengthsAreRefused() {
        assertRefused(
                ending("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 1\r\n\r\nok"),
                "wrong headers");
    }

    // ---- requests

    /** Metadata of objects become headers of replicas: it must not become a request. */
    @ParameterizedTest
    @ValueSource(strings = {"a\r\nx-b: c", "a\n\nGET / HTTP/1.1", "a\0"})
    void aHeaderWithALineEndIsNotSent(String value) {
        scripts.add(answering(OK));
        HttpClient.Request request =
                new HttpClient.Request("GET", "/a", Map.of("x-amz-meta-a", value), Content.NONE);
        assertThatThrownBy(() -> client.send(request, LONG, MOST_BYTES))
                .hasMessageContaining("x-amz-meta-a cannot be sent")
                .message()
                .doesNotContain(value);
        assertThat(requests).isEmpty();
    }

    @Test
    void aContentOfAnotherLengthEndsTheConnection() {
        scripts.add((in, out) -> over.await());
        HttpClient.Request request =
                new HttpClient.Request(
                        "PUT",
                        "/a",
                        Map.of(),
                        Content.unsigned(2, out -> out.write(new byte[] {1, 2, 3})));
        assertThatThrownBy(() -> client.send(request, LONG, MOST_BYTES))
                .hasMessageContaining("another length than 2 bytes");
    }

    @Test
    void theTextOfARequestHasNoCredential() {
        HttpClient.Request request =
                new HttpClient.Request(
                        "GET", "/a", Map.of("authorization", "Bearer secret"), Content.NONE);
        assertThat(request.toString()).isEqualTo("GET /a");
    }

    /** A large object may take longer than the time of a call, while it moves. */
    @Test
    void aCallGoesOnWhileBytesMove() {
        try (Call call = new Call(Duration.ofHours(1))) {
            call.moved(3600 * (64 << 10));
            call.endPeriod();
            assertThat(call.isEnded()).isFalse();
            call.moved(3600 * (64 << 10) - 1);
            call.endPeriod();
            assertThat(call.isEnded()).isTrue();
        }
    }
}
