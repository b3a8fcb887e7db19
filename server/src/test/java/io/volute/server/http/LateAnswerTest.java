package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation that takes long sends white space, and its outcome in the document. */
class LateAnswerTest {
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    private static final String RESULT = "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>";
    private static final String ERROR = "<Error><Code>SlowDown</Code></Error>";

    private final MovedDeadlines deadlines = new MovedDeadlines();
    private final CountDownLatch go = new CountDownLatch(1);
    private ServerUnderTest server;

    @BeforeEach
    void start() throws IOException {
        server = new ServerUnderTest(this::answer, ServerUnderTest.patient(), deadlines);
    }

    @AfterEach
    void stop() {
        go.countDown();
        server.close();
    }

    private S3Response answer(HttpHead head, RequestBody body) {
        head.allowance().takesLong(List.of(new HeaderList.Header("vary", "Origin")));
        BodyTest.await(go);
        return switch (head.rawPath()) {
            case "/done" -> document(200, RESULT);
            case "/refused" -> document(503, ERROR);
            case "/nothing" -> new S3Response(204, List.of(), new Content.None(-1));
            default -> throw new IllegalStateException("secret detail");
        };
    }

    private static S3Response document(int status, String rest) {
        return new S3Response(
                status,
                List.of(new HeaderList.Header("x-amz-version-id", "v")),
                new Content.Bytes((DECLARATION + rest).getBytes(StandardCharsets.US_ASCII)));
    }

    private static String request(String path, String version) {
        return "PUT " + path + " HTTP/" + version + "\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    }

    private static String text(RawConnection.Response response) {
        return new String(response.body(), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/done", "/refused", "/throws", "/nothing"})
    void whiteSpaceGoesBeforeTheOutcome(String path) throws Exception {
        try (RawConnection client = server.connect()) {
            client.send(request(path, "1.1"));
            for (int spaces = 0; spaces < 3; spaces++) {
                deadlines.pass(PAUSE, 1);
            }
            go.countDown();
            RawConnection.Response response = client.readHead();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("vary")).hasValue("Origin");
            assertThat(response.header("x-amz-version-id")).isEmpty();
            String body = new String(client.readChunked(), StandardCharsets.US_ASCII);
            String rest = path.equals("/done") ? RESULT : path.equals("/refused") ? ERROR : "";
            assertThat(body).startsWith(DECLARATION + "  <").endsWith(rest);
            if (rest.isEmpty()) {
                assertThat(body)
                        .contains("<Error><Code>InternalError</Code>")
                        .doesNotContain("secret");
            }
            // The connection is good for the next request.
            client.send(request("/done", "1.1"));
            assertThat(text(client.read())).isEqualTo(DECLARATION + RESULT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1", "1.0"})
    void anOutcomeInTimeIsAnOrdinaryAnswer(String version) throws Exception {
        go.countDown();
        try (RawConnection client = server.connect()) {
            client.send(request("/refused", version));
            RawConnection.Response response = client.read();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("x-amz-version-id")).hasValue("v");
            assertThat(response.header("content-length")).isPresent();
            assertThat(text(response)).isEqualTo(DECLARATION + ERROR);
        }
    }

    /** Chunks cannot be read by a client of HTTP/1.0. */
    @Test
    void aClientOfHttp10Waits() throws Exception {
        try (RawConnection client = server.connect()) {
            client.send(request("/done", "1.0"));
            deadlines.passIfSet(PAUSE);
            go.countDown();
            RawConnection.Response response = client.read();
            assertThat(response.header("content-length")).isPresent();
            assertThat(text(response).toLowerCase(Locale.ROOT)).contains("copyobjectresult");
        }
    }
}
