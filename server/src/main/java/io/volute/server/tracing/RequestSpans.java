package io.volute.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.volute.server.Limits;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.tracing.RequestTrace.Stage;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The spans of a request, made when it has ended: one of it all, and one of each stage within.
 * Names are those of OpenTelemetry's semantic conventions where these have one.
 */
final class RequestSpans {
    private static final AttributeKey<String> METHOD =
            AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<Long> STATUS =
            AttributeKey.longKey("http.response.status_code");
    private static final AttributeKey<Long> BYTES_IN =
            AttributeKey.longKey("http.request.body.size");
    private static final AttributeKey<Long> BYTES_OUT =
            AttributeKey.longKey("http.response.body.size");
    private static final AttributeKey<String> SCHEME = AttributeKey.stringKey("url.scheme");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> REQUEST_ID = AttributeKey.stringKey("aws.request_id");
    private static final AttributeKey<String> BUCKET = AttributeKey.stringKey("aws.s3.bucket");
    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("rpc.system");
    private static final AttributeKey<String> CALL = AttributeKey.stringKey("rpc.method");

    /** Any other is a client's text. */
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT");

    private RequestSpans() {}

    /**
     * Makes and sends them.
     *
     * @return the id of their trace; empty when there is no room for them
     */
    static String send(
            SpanExport export,
            HttpHead head,
            Answered how,
            RequestTrace trace,
            InstantSource clock) {
        Times times = how.times();
        List<Stage> stages = new ArrayList<>(trace.stages());
        if (how.status() > 0) {
            stages.add(new Stage("answer", times.firstByte(), times.ended()));
        }
        if (!export.tryTake(stages.size() + 1)) {
            return "";
        }
        Instant now = clock.instant();
        // The offset that turns a time of the monotonic clock into nanoseconds since 1970.
        long since = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - times.ended();
        About about = how.about();
        Span all =
                span(
                        export,
                        about.operation().isEmpty() ? method(head) : about.operation(),
                        SpanKind.SERVER,
                        trace.parent(),
                        since + times.begun());
        all.setAllAttributes(attributes(head, how));
        if (how.status() >= 500 || !how.complete()) {
            all.setStatus(StatusCode.ERROR, how.complete() ? "" : "the answer was broken off");
        }
        Context within = trace.parent().with(all);
        for (Stage stage : stages) {
            span(export, stage.name(), SpanKind.INTERNAL, within, since + stage.begun())
                    .end(since + stage.ended(), TimeUnit.NANOSECONDS);
        }
        all.end(since + times.ended(), TimeUnit.NANOSECONDS);
        return all.getSpanContext().getTraceId();
    }

    private static Span span(
            SpanExport export, String name, SpanKind kind, Context parent, long begun) {
        return export.tracer()
                .spanBuilder(name)
                .setSpanKind(kind)
                .setParent(parent)
                .setStartTimestamp(begun, TimeUnit.NANOSECONDS)
                .startSpan();
    }

    private static String method(HttpHead head) {
        return METHODS.contains(head.method()) ? head.method() : "_OTHER";
    }

    /**
     * Returns attributes without the path and the query, which contain keys and signatures, and
     * without the caller and its address.
     */
    private static Attributes attributes(HttpHead head, Answered how) {
        About about = how.about();
        AttributesBuilder attributes =
                Attributes.builder()
                        .put(METHOD, method(head))
                        .put(SCHEME, head.secure() ? "https" : "http")
                        .put(REQUEST_ID, head.requestId())
                        .put(BYTES_IN, how.bytes().in())
                        .put(BYTES_OUT, how.bytes().out());
        if (how.status() > 0) {
            attributes.put(STATUS, (long) how.status());
        }
        if (!about.bucket().isEmpty()) {
            attributes.put(BUCKET, VisibleText.cut(about.bucket(), Limits.TRACE_BUCKET_CHARS_MAX));
        }
        if (!about.operation().isEmpty() && !about.operation().startsWith("Admin")) {
            attributes.put(SYSTEM, "aws-api").put(CALL, about.operation());
        }
        if (!about.code().isEmpty()) {
            attributes.put(ERROR, about.code());
        }
        return attributes.build();
    }
}
