package io.volute.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.opentelemetry.proto.trace.v1.Span;
import io.volute.server.json.Json;
import io.volute.server.metrics.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests the spans that a running server sends to a receiver. */
@Timeout(120)
@Tag("slow")
class TracingServerTest {
    private static final byte[] NOTHING = {};
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final Pattern LOST =
            Pattern.compile("(?m)^volute_tracing_lost_spans_total (\\S+)");

    private final Logger logger = (Logger) LoggerFactory.getLogger(SpanExport.class);
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();

    @TempDir private Path directory;

    @BeforeEach
    void listen() {
        told.start();
        logger.addAppender(told);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(told);
    }

    private RunningServer server(String endpoint, String... more) throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("tracing.endpoint", endpoint);
        settings.put("tracing.sample", "1");
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return new RunningServer(directory.resolve("data"), settings);
    }

    private static Map<String, String> parent(String flags) {
        return Map.of("traceparent", "00-" + TRACE + "-" + SPAN + "-" + flags);
    }

    private static String id(HttpResponse<String> answer) {
        return answer.headers().firstValue("x-amz-request-id").orElseThrow();
    }

    private static Map<String, Object> attributes(Span span) {
        return SpanReceiver.attributes(span.getAttributesList());
    }

    private static Map<String, Map<String, Object>> linesById(Path file) throws IOException {
        Map<String, Map<String, Object>> lines = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            Map<String, Object> read = Json.read(line.getBytes(StandardCharsets.UTF_8));
            lines.put(String.valueOf(read.get("requestId")), read);
        }
        return lines;
    }

    /** Warnings about a receiver: that of another test may be late. */
    private List<String> warnings(int port) {
        return List.copyOf(told.list).stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(":" + port))
                .toList();
    }

    // ---- spans of requests

    @Test
    void aRequestIsASpanWithItsStages() throws Exception {
        Path log = directory.resolve("access.log");
        HttpResponse<String> put;
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver) {
            try (RunningServer server = server(receiver.endpoint(), "log.access", log.toString())) {
                assertThat(server.send("PUT", "/bucket", NOTHING)).isEqualTo(200);
                put = server.exchange("PUT", "/bucket/private-key", new byte[5000]);
                assertThat(server.send("GET", "/bucket/private-key", NOTHING)).isEqualTo(200);
                assertThat(server.send("GET", "/_volute/v1/space", NOTHING)).isEqualTo(200);
            }
        }
        Span all = receiver.span("PutObject");
        assertThat(all.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
        assertThat(all.getParentSpanId().isEmpty()).isTrue();
        assertThat(attributes(all))
                .isEqualTo(
                        Map.of(
                                "http.request.method", "PUT",
                                "http.response.status_code", 200L,
                                "http.request.body.size", 5000L,
                                "http.response.body.size", 0L,
                                "url.scheme", "http",
                                "aws.request_id", id(put),
                                "aws.s3.bucket", "bucket",
                                "rpc.system", "aws-api",
                                "rpc.method", "PutObject"));
        Map<String, Span> stages = receiver.within(all);
        assertThat(stages).containsOnlyKeys("authenticate", "read body", "commit", "answer");
        assertThat(stages.values())
                .allSatisfy(
                        stage -> {
                            assertThat(stage.getTraceId()).isEqualTo(all.getTraceId());
                            assertThat(stage.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_INTERNAL);
                            assertThat(stage.getStartTimeUnixNano())
                                    .isBetween(
                                            all.getStartTimeUnixNano(), stage.getEndTimeUnixNano());
                            assertThat(stage.getEndTimeUnixNano())
                                    .isLessThanOrEqualTo(all.getEndTimeUnixNano());
                        });
        assertThat(stages.get("authenticate").getEndTimeUnixNano())
                .isLessThanOrEqualTo(stages.get("read body").getStartTimeUnixNano());
        assertThat(stages.get("read body").getEndTimeUnixNano())
                .isLessThanOrEqualTo(stages.get("commit").getStartTimeUnixNano());
        assertThat(stages.get("commit").getEndTimeUnixNano())
                .isLessThanOrEqualTo(stages.get("answer").getStartTimeUnixNano());
        assertThat(receiver.within(receiver.span("GetObject")))
                .containsOnlyKeys("authenticate", "answer");
        assertThat(linesById(log).get(id(put))).containsEntry("traceId", SpanReceiver.traceId(all));
        assertThat(receiver.resources())
                .allSatisfy(
                        each ->
                                assertThat(
                                                SpanReceiver.attributes(
                                                        each.getResource().getAttributesList()))
                                        .containsEntry("service.name", "volute")
                                        .containsKey("host.name"));
        assertThat(receiver.resources().toString())
                .doesNotContain("private-key", RunningServer.KEY, RunningServer.SECRET)
                .doesNotContain("root", "127.0.0.1", "Signature=");
    }

    @Test
    void callsOfTheAdminApiAreTraced() throws Exception {
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver) {
            try (RunningServer server =
                    server(receiver.endpoint(), "admin.address", "127.0.0.1:0")) {
                String host = "127.0.0.1:" + server.server().adminAddress().orElseThrow().getPort();
                try (HttpClient client = HttpClient.newHttpClient()) {
                    URI uri = URI.create("http://" + host + "/_volute/v1/space");
                    HttpRequest unsigned = HttpRequest.newBuilder(uri).build();
                    assertThat(client.send(unsigned, BodyHandlers.ofString()).statusCode())
                            .isEqualTo(403);
                }
            }
            try (RunningServer server = server(receiver.endpoint())) {
                assertThat(server.send("GET", "/_volute/v1/space", NOTHING)).isEqualTo(200);
            }
        }
        assertThat(attributes(receiver.span("AdminSpace")))
                .containsEntry("http.response.status_code", 200L)
                .doesNotContainKeys("rpc.system", "aws.s3.bucket");
        Span refused = receiver.span("GET");
        assertThat(attributes(refused))
                .containsEntry("error.type", "AccessDenied")
                .containsEntry("http.response.status_code", 403L);
        assertThat(receiver.within(refused)).containsOnlyKeys("authenticate", "answer");
    }

    // ---- which are traced

    @Test
    void aParentIsObeyedAndOthersAreNotTraced() throws Exception {
        Path log = directory.resolve("access.log");
        HttpResponse<String> traced;
        HttpResponse<String> other;
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver) {
            try (RunningServer server =
                    server(
                            receiver.endpoint(),
                            "tracing.sample",
                            "0",
                            "log.access",
                            log.toString())) {
                other = server.exchange("PUT", "/bucket", NOTHING);
                traced = server.exchange("PUT", "/bucket/k", NOTHING, parent("01"));
                assertThat(server.exchange("GET", "/bucket/k", NOTHING, parent("00")).statusCode())
                        .isEqualTo(200);
            }
        }
        Span all = receiver.span("PutObject");
        assertThat(SpanReceiver.traceId(all)).isEqualTo(TRACE);
        assertThat(SpanReceiver.parentId(all)).isEqualTo(SPAN);
        assertThat(receiver.spans())
                .allSatisfy(each -> assertThat(SpanReceiver.traceId(each)).isEqualTo(TRACE))
                .hasSize(receiver.within(all).size() + 1);
        assertThat(linesById(log).get(id(traced))).containsEntry("traceId", TRACE);
        assertThat(linesById(log).get(id(other))).doesNotContainKey("traceId");
    }

    @Test
    void nobodyIsListenedToWhenTheSettingSaysSo() throws Exception {
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver) {
            try (RunningServer server = server(receiver.endpoint(), "tracing.parent-rate", "0")) {
                server.exchange("GET", "/", NOTHING, parent("00"));
            }
        }
        Span all = receiver.span("ListBuckets");
        assertThat(SpanReceiver.traceId(all)).isNotEqualTo(TRACE);
        assertThat(all.getParentSpanId().isEmpty()).isTrue();
    }

    /** Uses a new JVM, because other tests have loaded the classes in this one. */
    @Test
    void nothingOfItIsLoadedWhenItIsOff() throws Exception {
        Path loaded = directory.resolve("loaded");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xlog:class+load:file=" + loaded,
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OffProbe.class.getName(),
                                directory.resolve("data").toString())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getInputStream()) {
            assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("answered 200");
        }
        assertThat(process.waitFor()).isZero();
        assertThat(Files.readString(loaded))
                .contains("io.volute.server.http.Exchange ")
                .doesNotContain("io.opentelemetry.");
    }

    /** A server without the setting answers a request. */
    static final class OffProbe {
        private OffProbe() {}

        public static void main(String[] arguments) throws Exception {
            try (RunningServer server = new RunningServer(Path.of(arguments[0]), Map.of())) {
                System.out.println("answered " + server.send("PUT", "/bucket", NOTHING));
            }
        }
    }

    // ---- the receiver

    private static double lost(String page) {
        Matcher lost = LOST.matcher(page);
        return lost.find() ? Double.parseDouble(lost.group(1)) : -1;
    }

    @Test
    void withoutAReceiverRequestsAreAnsweredAndSpansCounted() throws Exception {
        // Bound, so that nobody else gets the port, but nobody listens.
        Socket taken = new Socket();
        taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = taken.getLocalPort();
        try (taken;
                RunningServer server = server("http://127.0.0.1:" + port)) {
            assertThat(server.send("PUT", "/bucket", NOTHING)).isEqualTo(200);
            double first = lost(server.scrapeUntil(page -> lost(page) > 0));
            assertThat(server.send("PUT", "/bucket/key", new byte[100])).isEqualTo(200);
            assertThat(server.send("GET", "/bucket/key", NOTHING)).isEqualTo(200);
            server.scrapeUntil(page -> lost(page) > first);
            assertThat(warnings(port))
                    .singleElement()
                    .asString()
                    .contains("tracing.endpoint", "ConnectException");
            taken.close();
            try (SpanReceiver late = new SpanReceiver(port)) {
                String told = "volute_tracing_spans_total 0.0";
                server.send("GET", "/", NOTHING);
                server.scrapeUntil(page -> !page.contains(told));
                assertThat(late.spans()).isNotEmpty();
            }
        }
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(line -> assertThat(line).contains("again"));
    }

    @Test
    void whatTheReceiverRefusesIsLostAndTold() throws Exception {
        SpanReceiver receiver = new SpanReceiver(0);
        receiver.answer(401);
        try (receiver;
                RunningServer server = server(receiver.endpoint())) {
            assertThat(server.send("PUT", "/bucket", NOTHING)).isEqualTo(200);
            server.scrapeUntil(page -> lost(page) > 0);
        }
        assertThat(warnings(receiver.port())).singleElement().asString().contains("status 401");
    }

    @Test
    void aStopDoesNotWaitForAReceiverThatHangs() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (SpanReceiver receiver = new SpanReceiver(0, never)) {
            try (RunningServer server = server(receiver.endpoint())) {
                assertThat(server.send("PUT", "/bucket", NOTHING)).isEqualTo(200);
                assertThat(server.server().stop()).isTrue();
            }
            assertThat(receiver.requests()).isNotEmpty();
            assertThat(never.getCount()).isOne();
        }
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(line -> assertThat(line).contains("spans were lost at the end"));
    }

    private Path headers(String text, String mode) throws IOException {
        Path file = Files.writeString(directory.resolve("headers"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void headersOfAPrivateFileAreSent() throws Exception {
        String token = "Bearer " + "x".repeat(600);
        Path file = headers("Authorization: " + token + "\nx-tenant:a b\n", "rw-------");
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver) {
            try (RunningServer server =
                    server(receiver.endpoint(), "tracing.headers-file", file.toString())) {
                server.send("GET", "/", NOTHING);
            }
        }
        assertThat(receiver.requests().getFirst().headers())
                .containsEntry("Authorization", List.of(token))
                .containsEntry("X-tenant", List.of("a b"));
    }

    @Test
    void headersThatCannotBeUsedAreRefusedAtTheStart() throws Exception {
        Path open = headers("Authorization: secret\n", "rw-r--r--");
        String[] setting = {"tracing.headers-file", open.toString()};
        assertThatThrownBy(() -> server("http://127.0.0.1:1", setting))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600 " + open);
        headers("secret\n", "rw-------");
        assertThatThrownBy(() -> server("http://127.0.0.1:1", setting))
                .hasMessageContaining("tracing.headers-file " + open)
                .hasMessageContaining("NAME: VALUE")
                .hasMessageNotContaining("secret\n");
    }
}
