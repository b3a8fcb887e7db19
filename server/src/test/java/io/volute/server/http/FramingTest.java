package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An ambiguous request is refused, and its connection closed (request smuggling). */
class FramingTest {
    private static ServerUnderTest server;

    @BeforeAll
    static void start() throws IOException {
        server = new ServerUnderTest(ServerUnderTest::count);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static final String HOST = "Host: a\r\n";

    static Stream<Arguments> refusedHeads() {
        return Stream.of(
                bad(
                        "TE and CL",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                                + "\r\n0\r\n\r\n"),
                bad(
                        "CL and TE",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"
                                + "\r\n0\r\n\r\n"),
                bad("TE gzip", "PUT / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: gzip\r\n\r\nabc"),
                bad(
                        "TE gzip, chunked",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "TE chunked, chunked",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "TE identity",
                        "PUT / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: identity\r\n\r\n"),
                bad("TE empty", "PUT / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: \r\n\r\n"),
                bad(
                        "TE with vertical tab",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "TE xchunked",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "two TE",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding: chunked\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "TE in HTTP/1.0",
                        "PUT / HTTP/1.0\r\n"
                                + HOST
                                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "TE name with space before colon",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
                bad(
                        "two CL, different",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde"),
                bad(
                        "two CL, same",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde"),
                bad("CL list", "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 5, 5\r\n\r\nabcde"),
                bad(
                        "CL with plus",
                        "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: +5\r\n\r\nabcde"),
                bad("CL negative", "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: -5\r\n\r\n"),
                bad(
                        "CL padded with zero",
                        "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 05\r\n\r\nabcde"),
                bad(
                        "CL hexadecimal",
                        "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 0x5\r\n\r\nabcde"),
                bad("CL empty", "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: \r\n\r\n"),
                bad(
                        "CL over long",
                        "PUT / HTTP/1.1\r\n"
                                + HOST
                                + "Content-Length: 99999999999999999999\r\n\r\n"),
                bad(
                        "CL with inner space",
                        "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 5 0\r\n\r\nabcde"),
                bad("bare LF in head", "GET / HTTP/1.1\n" + HOST + "\r\n"),
                bad("bare LF after header", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
                bad("bare LF as end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
                bad("bare CR in value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"),
                bad("folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
                bad("folded header by tab", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\n\r\n"),
                bad("space before first header", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
                bad("NUL in value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
                bad("DEL in value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u007fb\r\n\r\n"),
                bad("control in name", "GET / HTTP/1.1\r\nHost: a\r\nX\u0001: a\r\n\r\n"),
                bad("no colon", "GET / HTTP/1.1\r\nHost: a\r\nNonsense\r\n\r\n"),
                bad("empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
                bad("two Host", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
                bad("two Host, same", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
                bad("no Host", "GET / HTTP/1.1\r\nX: y\r\n\r\n"),
                bad("empty Host", "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
                bad("Host with path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
                bad("target at another host", "GET http://b/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target at another port", "GET http://a:1/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target with a user", "GET http://u@a/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target without host", "GET http:/// HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target with one slash", "GET http:/a/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target of ftp", "GET ftp://a/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target of h", "GET h://a/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("host as target", "GET host:1 HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("target without Host header", "GET http://a/ HTTP/1.0\r\n\r\n"),
                bad("authority target", "CONNECT a:443 HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("asterisk target", "OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("fragment", "GET /a#b HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("two spaces", "GET  / HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("tab in request line", "GET\t/ HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("space at line end", "GET / HTTP/1.1 \r\n" + HOST + "\r\n"),
                bad("space in target", "GET /a b HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("non-ASCII target", "GET /\u00e4 HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("lower-case method", "get / HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("HTTP/0.9", "GET /\r\n\r\n"),
                bad("HTTP/1.2", "GET / HTTP/1.2\r\n" + HOST + "\r\n"),
                bad("HTTP/2.0", "GET / HTTP/2.0\r\n" + HOST + "\r\n"),
                bad("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                bad("control before line", "\u0001GET / HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("empty line before request", "\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n"),
                bad("TLS hello", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc"));
    }

    private static Arguments bad(String name, String bytes) {
        return Arguments.of(name, bytes);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedHeads")
    void refusesAndCloses(String name, String bytes) throws IOException {
        int before = server.heads().size();
        try (RawConnection client = server.connect()) {
            // What a smuggler would like to be taken for a second request.
            client.send(bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            RawConnection.Response response = client.read();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text()).contains("<Error><Code>", "<RequestId>");
            assertThat(response.header("connection")).hasValue("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(server.heads()).as(name).hasSize(before);
    }

    /** Sends the same bytes one by one: the scanner keeps its place. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedHeads")
    void refusesByteByByte(String name, String bytes) throws IOException {
        int before = server.heads().size();
        try (RawConnection client = server.connect()) {
            for (char c : bytes.toCharArray()) {
                client.send(String.valueOf(c));
            }
            assertThat(client.read().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
        } catch (java.net.SocketException e) {
            // The refusal came before the last byte was sent.
            assertThat(e).isNotNull();
        }
        assertThat(server.heads()).as(name).hasSize(before);
    }

    static Stream<Arguments> brokenBodies() {
        return Stream.of(
                bad("LF after chunk size", "5\nabcde\r\n0\r\n\r\n"),
                bad("LF after chunk", "5\r\nabcde\n0\r\n\r\n"),
                bad("chunk longer than said", "3\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size not hexadecimal", "g\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size negative", "-5\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size with plus", "+5\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size with prefix", "0x5\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size empty", "\r\nabcde\r\n0\r\n\r\n"),
                bad("chunk size overflows", "100000005\r\nabcde\r\n0\r\n\r\n"),
                bad("trailer", "5\r\nabcde\r\n0\r\nHost: evil\r\n\r\n"),
                bad("chunk size behind space", " 5\r\nabcde\r\n0\r\n\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenBodies")
    void failsBrokenChunkingAndCloses(String name, String chunks) throws IOException {
        int before = server.heads().size();
        try (RawConnection client = server.connect()) {
            client.send(
                    "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + chunks
                            + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            RawConnection.Response response = client.read();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text()).contains("framing");
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(server.heads()).as(name).hasSize(before + 1);
    }

    /** RFC 9112, 3.2.2: a server accepts the absolute form, which proxies send. */
    @ParameterizedTest
    @CsvSource({
        "http://a:9000/absolute/%20?x=1&y,/absolute/%20,x=1&y",
        "HTTPS://A:9000/absolute/http://b/,/absolute/http://b/,''",
        "http://a:9000,/,''",
        "http://a:9000?absolute,/,absolute",
        "http://a:9000//absolute,//absolute,''"
    })
    void takesTargetsInAbsoluteForm(String target, String path, String query) throws IOException {
        int before = server.heads().size();
        try (RawConnection client = server.connect()) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: a:9000\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        var head = server.heads().get(before);
        assertThat(head.rawPath()).isEqualTo(path);
        assertThat(head.rawQuery()).isEqualTo(query);
    }

    @Test
    void takesOrdinaryRequestsOneAfterAnother() throws IOException {
        try (RawConnection client = server.connect()) {
            client.send("GET /a%2Fb/..//c?x=%20&y HTTP/1.1\r\nHost: a:9000\r\nX-A:  v \t\r\n\r\n");
            RawConnection.Response first = client.read();
            assertThat(first.status()).isEqualTo(200);
            assertThat(first.text()).isEqualTo("GET 0");
            assertThat(first.header("connection")).hasValue("keep-alive");
            assertThat(first.header("date")).hasValue("Fri, 02 Jan 2026 03:04:05 GMT");
            assertThat(first.header("server")).hasValue("Volute");
            assertThat(first.header("x-amz-request-id").orElseThrow()).matches("[0-9A-F]{16}");
            assertThat(first.header("x-amz-id-2")).isEqualTo(first.header("x-amz-request-id"));
            client.send("PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
            assertThat(client.read().text()).isEqualTo("PUT 3");
            client.send("PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send("3;ext=1\r\nabc\r\n");
            client.send("A\r\n0123456789\r\n0\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("PUT 13");
            client.send("HEAD /b HTTP/1.1\r\nHost: a\r\n\r\n");
            RawConnection.Response head = client.read("HEAD");
            assertThat(head.header("content-length")).hasValue("6");
            client.send("GET /c HTTP/1.1\r\nHost: a\r\nConnection: Foo, Close\r\n\r\n");
            assertThat(client.read().header("connection")).hasValue("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
        var seen = server.heads().stream().filter(h -> h.rawPath().contains("%2F")).toList();
        assertThat(seen).hasSize(1);
        assertThat(seen.get(0).rawPath()).isEqualTo("/a%2Fb/..//c");
        assertThat(seen.get(0).rawQuery()).isEqualTo("x=%20&y");
        assertThat(seen.get(0).headers().first("x-a")).hasValue("v");
        assertThat(seen.get(0).remoteAddress()).isEqualTo("127.0.0.1");
    }

    @Test
    void closesAfterHttp10() throws IOException {
        try (RawConnection client = server.connect()) {
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void takesRequestLinesUpToTheLimit() throws IOException {
        int rest = Limits.REQUEST_LINE_BYTES_MAX - "GET / HTTP/1.1".length();
        assertThat(statusOf("GET /" + "a".repeat(rest - 1) + " HTTP/1.1\r\n" + HOST + "\r\n"))
                .isEqualTo(200);
        assertThat(statusOf("GET /" + "a".repeat(rest) + " HTTP/1.1\r\n" + HOST + "\r\n"))
                .isEqualTo(200);
        assertThat(statusOf("GET /" + "a".repeat(rest + 1) + " HTTP/1.1\r\n" + HOST + "\r\n"))
                .isEqualTo(414);
    }

    @Test
    void takesHeaderBytesUpToTheLimit() throws IOException {
        int rest = Limits.HEADER_BYTES_MAX - HOST.length() - "X: \r\n".length();
        assertThat(
                        statusOf(
                                "GET / HTTP/1.1\r\n"
                                        + HOST
                                        + "X: "
                                        + "a".repeat(rest - 1)
                                        + "\r\n\r\n"))
                .isEqualTo(200);
        assertThat(statusOf("GET / HTTP/1.1\r\n" + HOST + "X: " + "a".repeat(rest) + "\r\n\r\n"))
                .isEqualTo(200);
        assertThat(
                        statusOf(
                                "GET / HTTP/1.1\r\n"
                                        + HOST
                                        + "X: "
                                        + "a".repeat(rest + 1)
                                        + "\r\n\r\n"))
                .isEqualTo(400);
    }

    @Test
    void takesAsManyHeadersAsTheLimit() throws IOException {
        int rest = Limits.HEADER_COUNT_MAX - 1;
        assertThat(statusOf("GET / HTTP/1.1\r\n" + HOST + "X: y\r\n".repeat(rest - 1) + "\r\n"))
                .isEqualTo(200);
        assertThat(statusOf("GET / HTTP/1.1\r\n" + HOST + "X: y\r\n".repeat(rest) + "\r\n"))
                .isEqualTo(200);
        assertThat(statusOf("GET / HTTP/1.1\r\n" + HOST + "X: y\r\n".repeat(rest + 1) + "\r\n"))
                .isEqualTo(400);
    }

    /** A head without end is refused at the limit, not gathered. */
    @Test
    void refusesEndlessLines() throws IOException {
        try (RawConnection client = server.connect()) {
            client.send("GET /" + "a".repeat(Limits.REQUEST_LINE_BYTES_MAX));
            assertThat(client.read().status()).isEqualTo(414);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    private static int statusOf(String request) throws IOException {
        try (RawConnection client = server.connect()) {
            return client.send(request).read().status();
        }
    }
}
