package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests responses: bodies of all kinds, internal errors, and never a wrong byte. */
class ResponseTest {
    private static final int CHUNK = 64 * 1024;

    private final byte[] content = new byte[10 * CHUNK + 17];
    private final FakeBlob blob = new FakeBlob(content, CHUNK);
    private ServerUnderTest server;

    @BeforeEach
    void start() throws IOException {
        new Random(7).nextBytes(content);
        server = new ServerUnderTest(this::answer);
    }

    @AfterEach
    void stop() {
        server.close();
        assertThat(server.server().freeBudgetBytes())
                .isEqualTo(ServerUnderTest.caps().bufferBytes());
    }

    private S3Response answer(HttpHead head, RequestBody body) {
        return switch (head.rawPath()) {
            case "/whole" -> respond(new Content.Blob(blob, 0, content.length));
            case "/range" -> respond(new Content.Blob(blob, CHUNK - 3, 2 * CHUNK + 5));
            case "/small" -> respond(new Content.Blob(blob, 5, 105));
            case "/empty" -> respond(new Content.Blob(blob, 5, 5));
            case "/none" -> new S3Response(204, List.of(), new Content.None(-1));
            case "/unchanged" -> new S3Response(304, List.of(), new Content.None(-1));
            case "/announced" -> new S3Response(200, List.of(), new Content.None(123));
            case "/nothing" -> new S3Response(200, List.of(), new Content.None(-1));
            case "/throw" -> throw new IllegalStateException("secret detail");
            case "/error" -> throw new AssertionError("secret detail");
            case "/framing" ->
                    new S3Response(
                            200,
                            List.of(
                                    new HeaderList.Header("Content-Length", "999"),
                                    new HeaderList.Header("Transfer-Encoding", "chunked"),
                                    new HeaderList.Header("ETag", "\"e\"")),
                            new Content.Bytes(new byte[] {'a'}));
            case "/null" -> null;
            case "/stream" -> respond(new Content.Stream(target -> target.write(content)));
            case "/stream-of-nothing" -> respond(new Content.Stream(target -> {}));
            case "/stream-that-fails" -> respond(new Content.Stream(ResponseTest::fail));
            case "/stream-cut-off" ->
                    respond(
                            new Content.Stream(
                                    target -> {
                                        target.write(content);
                                        fail(target);
                                    }));
            default ->
                    new S3Response(
                            200,
                            List.of(
                                    new HeaderList.Header(
                                            "x-amz-meta-a", unescape(head.rawQuery()))),
                            new Content.Blob(blob, 0, 1));
        };
    }

    private static void fail(OutputStream target) throws IOException {
        target.write('a');
        throw new IOException("secret detail");
    }

    private static String unescape(String query) {
        return query.replace("%r", "\r")
                .replace("%n", "\n")
                .replace("%0", "\0")
                .replace("%u", "\u20ac")
                .replace("%d", "\u007f");
    }

    private static S3Response respond(Content content) {
        return new S3Response(200, List.of(), content);
    }

    private RawConnection.Response get(String path) throws IOException {
        try (RawConnection client = server.connect()) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").read();
        }
    }

    @Test
    void sendsBlobsOfManyChunks() throws IOException, InterruptedException {
        assertThat(get("/whole").body()).isEqualTo(content);
        blob.awaitClosed();
    }

    @Test
    void sendsRanges() throws IOException {
        assertThat(get("/range").body())
                .isEqualTo(Arrays.copyOfRange(content, CHUNK - 3, 2 * CHUNK + 5));
    }

    @Test
    void sendsRangesInsideAChunk() throws IOException {
        assertThat(get("/small").body()).isEqualTo(Arrays.copyOfRange(content, 5, 105));
    }

    @Test
    void sendsEmptyRanges() throws IOException, InterruptedException {
        assertThat(get("/empty").header("content-length")).hasValue("0");
        blob.awaitClosed();
    }

    @Test
    void announcesTheLengthToHeadWithoutReading() throws IOException, InterruptedException {
        try (RawConnection client = server.connect()) {
            client.send("HEAD /whole HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read("HEAD").header("content-length"))
                    .hasValue(Integer.toString(content.length));
            client.send("HEAD /announced HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read("HEAD").header("content-length")).hasValue("123");
            client.send("HEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read("HEAD").header("content-length")).isEmpty();
            client.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().header("content-length")).isEmpty();
            client.send("GET /unchanged HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(304);
            client.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().header("content-length")).hasValue("0");
        }
        assertThat(blob.reads()).isZero();
        blob.awaitClosed();
    }

    @Test
    void damageInTheFirstChunkIsAnError() throws IOException, InterruptedException {
        blob.damageAt(3);
        RawConnection.Response response = get("/whole");
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).contains("<Code>InternalError</Code>");
        assertThat(response.text()).doesNotContain("damaged");
        blob.awaitClosed();
    }

    @Test
    void damageLaterCutsTheResponseOff() throws IOException, InterruptedException {
        blob.damageAt(3L * CHUNK);
        try (RawConnection client = server.connect()) {
            client.send("GET /whole HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(200);
            byte[] got = readUntilEnd(client);
            assertThat(got.length).isLessThanOrEqualTo(3 * CHUNK);
            assertThat(got).isEqualTo(Arrays.copyOf(content, got.length));
        }
        blob.awaitClosed();
    }

    private static byte[] readUntilEnd(RawConnection client) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            for (int b = client.input().read(); b >= 0; b = client.input().read()) {
                bytes.write(b);
            }
        } catch (IOException e) {
            // A reset is as good an end as any.
            return bytes.toByteArray();
        }
        return bytes.toByteArray();
    }

    @Test
    void streamsWhatHasNoLength() throws IOException {
        try (RawConnection client = server.connect()) {
            for (String path : List.of("/stream", "/stream-of-nothing", "/stream")) {
                client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                RawConnection.Response head = client.readHead();
                assertThat(head.header("transfer-encoding")).hasValue("chunked");
                assertThat(head.header("content-length")).isEmpty();
                assertThat(client.readChunked())
                        .isEqualTo(path.equals("/stream") ? content : new byte[0]);
            }
        }
    }

    @Test
    void aStreamThatFailsEarlyIsAnErrorAndLaterIsCutOff() throws IOException {
        assertThat(get("/stream-that-fails").text())
                .contains("InternalError")
                .doesNotContain("secret");
        try (RawConnection client = server.connect()) {
            client.send("GET /stream-cut-off HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(200);
            assertThatThrownBy(client::readChunked).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/throw", "/error", "/null"})
    void faultsOfTheHandlerShowNothing(String path) throws IOException {
        RawConnection.Response response = get(path);
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).contains("InternalError").contains("<RequestId>");
        assertThat(response.text()).contains("<HostId>");
        assertThat(response.text()).doesNotContain("secret").doesNotContain("Exception");
        assertThat(response.text()).contains(response.header("x-amz-request-id").orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%rb", "a%nb", "a%r%nSet-Cookie:x", "a%0b", "%u", "%d"})
    void headersThatCouldSplitTheResponseAreNotSent(String value)
            throws IOException, InterruptedException {
        RawConnection.Response response = get("/header?" + value);
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.headers()).noneMatch(h -> h.startsWith("x-amz-meta-a"));
        blob.awaitClosed();
    }

    @Test
    void framingIsNotTheHandlersBusiness() throws IOException {
        RawConnection.Response response = get("/framing");
        assertThat(response.text()).isEqualTo("a");
        assertThat(response.headers())
                .noneMatch(h -> h.toLowerCase(Locale.ROOT).startsWith("transfer-enc"))
                .filteredOn(h -> h.toLowerCase(Locale.ROOT).startsWith("content-length"))
                .hasSize(1);
        assertThat(response.header("etag")).hasValue("\"e\"");
    }

    /** A client that does not take its response holds a bounded number of buffers. */
    @Test
    void readsNoFurtherThanTheClientTakes() throws Exception {
        FakeBlob endless = FakeBlob.endless(CHUNK);
        try (ServerUnderTest slow =
                        new ServerUnderTest(
                                (head, body) -> respond(new Content.Blob(endless, 0, 1L << 40)));
                RawConnection client = slow.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            client.readHead();
            // The socket buffers of both sides fill; then reading stops for good.
            while (!endless.staysOpenWithoutReads()) {
                assertThat(endless.reads()).isLessThan(2_000);
            }
            assertThat(endless.reads()).isLessThan(2_000);
            client.reset();
            endless.awaitClosed();
        }
    }
}
