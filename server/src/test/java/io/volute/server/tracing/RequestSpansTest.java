package io.volute.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.context.Context;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.volute.server.Limits;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spans of requests that go as few do, and room for them. */
@Timeout(120)
class RequestSpansTest {
    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00.5Z");

    private static HttpHead head(String method) {
        return new HttpHead(
                method,
                "/b/k",
                "X-Amz-Signature=abc",
                new HeaderList(List.of()),
                true,
                "192.0.2.7",
                0,
                "9E3779B97F4A7C15");
    }

    private static Answered how(About about, int status, boolean complete) {
        return new Answered(
                about, status, complete, new Bytes(1, 2), new Times(7_000, 8_000, 9_000));
    }

    private static SpanExport export(SpanReceiver receiver) throws IOException {
        return new SpanExport(URI.create(receiver.endpoint() + "/v1/traces"), Map.of());
    }

    /** The spans of one request. */
    private static SpanReceiver sent(HttpHead head, Answered how, RequestTrace trace)
            throws Exception {
        SpanReceiver receiver = new SpanReceiver(0);
        try (receiver;
                SpanExport export = export(receiver)) {
            assertThat(RequestSpans.send(export, head, how, trace, () -> NOW)).hasSize(32);
        }
        return receiver;
    }

    @Test
    void timesAreThoseOfTheRequest() throws Exception {
        RequestTrace trace = new RequestTrace(Context.root());
        trace.add("authenticate", 7_100, 7_200);
        SpanReceiver receiver = sent(head("GET"), how(About.UNKNOWN, 200, true), trace);
        long end = NOW.getEpochSecond() * 1_000_000_000 + NOW.getNano();
        Span all = receiver.span("GET");
        assertThat(all.getStartTimeUnixNano()).isEqualTo(end - 2_000);
        assertThat(all.getEndTimeUnixNano()).isEqualTo(end);
        assertThat(receiver.span("authenticate").getStartTimeUnixNano()).isEqualTo(end - 1_900);
        assertThat(receiver.span("authenticate").getEndTimeUnixNano()).isEqualTo(end - 1_800);
        assertThat(receiver.span("answer").getStartTimeUnixNano()).isEqualTo(end - 1_000);
        assertThat(receiver.span("answer").getEndTimeUnixNano()).isEqualTo(end);
    }

    @Test
    void aFaultOfTheServerIsAnError() throws Exception {
        About about = About.UNKNOWN.of("GetObject").failing("InternalError");
        RequestTrace trace = new RequestTrace(Context.root());
        Span failed = sent(head("GET"), how(about, 500, true), trace).span("GetObject");
        assertThat(failed.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(SpanReceiver.attributes(failed.getAttributesList()))
                .containsEntry("error.type", "InternalError")
                .containsEntry("http.response.status_code", 500L)
                .containsEntry("url.scheme", "https");
        Span broken =
                sent(head("GET"), how(About.UNKNOWN.of("GetObject"), 200, false), trace)
                        .span("GetObject");
        assertThat(broken.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(broken.getStatus().getMessage()).contains("broken off");
    }

    /** The size of a trace is bounded, regardless of the client. */
    @Test
    void whatAClientWritesIsBounded() throws Exception {
        RequestTrace trace = new RequestTrace(Context.root());
        for (int i = 0; i < 1000; i++) {
            trace.add("commit", i, i);
        }
        About about = new About("", "ann", "AK", "", "b".repeat(5000), "key", "");
        SpanReceiver receiver = sent(head("SMUGGLE"), how(about, 0, false), trace);
        Span all = receiver.span("_OTHER");
        assertThat(receiver.spans()).hasSize(Limits.TRACE_STAGES_MAX + 1);
        assertThat(SpanReceiver.attributes(all.getAttributesList()))
                .containsEntry("aws.s3.bucket", "b".repeat(Limits.TRACE_BUCKET_CHARS_MAX))
                .containsEntry("http.request.method", "_OTHER")
                .doesNotContainKey("http.response.status_code");
    }

    @Test
    void spansWithoutRoomAreCounted() throws Exception {
        try (SpanReceiver receiver = new SpanReceiver(0);
                SpanExport export = export(receiver)) {
            assertThat(export.tryTake(Limits.TRACE_SPANS_MAX - 1)).isTrue();
            RequestTrace trace = new RequestTrace(Context.root());
            Answered how = how(About.UNKNOWN, 200, true);
            assertThat(RequestSpans.send(export, head("GET"), how, trace, () -> NOW)).isEmpty();
            assertThat(export.lost()).isEqualTo(2);
            assertThat(export.tryTake(1)).isTrue();
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void aCommitThatFailsFailsAsItWould(@TempDir Path directory) throws Exception {
        Cube cube = S3TestBed.cube(directory, Clock.systemUTC());
        List<String> told = new ArrayList<>();
        Cube timed = new TimedCube(cube, () -> Optional.of(() -> told.add("ended")));
        cube.close();
        assertThatThrownBy(() -> timed.commit(new Transaction()).join())
                .hasCauseInstanceOf(CubeUnavailableException.class);
        assertThat(told).containsExactly("ended");
    }
}
