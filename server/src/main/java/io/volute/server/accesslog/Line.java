package io.volute.server.accesslog;

import io.volute.server.Limits;
import io.volute.server.http.RequestWatch.Answered;
import io.volute.server.http.RequestWatch.Bytes;
import io.volute.server.http.RequestWatch.Refused;
import io.volute.server.http.RequestWatch.Times;
import io.volute.server.json.VisibleLines;
import io.volute.server.json.VisibleLines.Name;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** What is written down of a request. */
record Line(
        Instant begun,
        String requestId,
        String remoteAddress,
        String method,
        String userAgent,
        Answered how) {
    private static final Name TIME = Name.of("time");
    private static final Name REQUEST_ID = Name.of("requestId");
    private static final Name USER = Name.of("user");
    private static final Name ACCESS_KEY = Name.of("accessKey");
    private static final Name SESSION = Name.of("session");
    private static final Name REMOTE_ADDRESS = Name.of("remoteAddress");
    private static final Name METHOD = Name.of("method");
    private static final Name OPERATION = Name.of("operation");
    private static final Name BUCKET = Name.of("bucket");
    private static final Name KEY = Name.of("key");
    private static final Name STATUS = Name.of("status");
    private static final Name CODE = Name.of("code");
    private static final Name COMPLETE = Name.of("complete");
    private static final Name BYTES_IN = Name.of("bytesIn");
    private static final Name BYTES_OUT = Name.of("bytesOut");
    private static final Name FIRST_BYTE_MICROS = Name.of("firstByteMicros");
    private static final Name TOTAL_MICROS = Name.of("totalMicros");
    private static final Name USER_AGENT = Name.of("userAgent");
    private static final Name TRACE_ID = Name.of("traceId");
    private static final Name LOST_BEFORE = Name.of("lostBefore");

    static Line of(HttpHead head, Answered how, Instant now) {
        return new Line(
                now.minusNanos(how.times().ended() - how.times().begun()),
                head.requestId(),
                head.remoteAddress(),
                head.method(),
                head.headers().first("user-agent").orElse(""),
                how);
    }

    static Line of(Refused refused, Instant now) {
        return new Line(
                now,
                refused.requestId(),
                refused.remoteAddress(),
                "",
                "",
                new Answered(
                        About.UNKNOWN.failing(refused.code()),
                        refused.status(),
                        true,
                        new Bytes(0, 0),
                        new Times(0, 0, 0)));
    }

    private static String cut(String text) {
        return VisibleText.cut(text, Limits.ACCESS_LOG_TEXT_CHARS_MAX);
    }

    /**
     * Appends it, with its end; no text in it is longer than it may be.
     *
     * @param lostBefore lines that were lost before it; 0 is not told
     */
    void writeTo(VisibleLines out, long lostBefore) {
        About about = how.about();
        out.begin()
                .time(TIME, begun)
                .text(REQUEST_ID, requestId)
                .text(USER, about.user())
                .text(ACCESS_KEY, about.accessKey())
                .text(SESSION, about.session())
                .text(REMOTE_ADDRESS, remoteAddress)
                .text(METHOD, method)
                .text(OPERATION, about.operation())
                .text(BUCKET, cut(about.bucket()))
                .text(KEY, cut(about.key()))
                .number(STATUS, how.status())
                .text(CODE, about.code())
                .flag(COMPLETE, how.complete())
                .number(BYTES_IN, how.bytes().in())
                .number(BYTES_OUT, how.bytes().out())
                .number(FIRST_BYTE_MICROS, micros(how.times().firstByte()))
                .number(TOTAL_MICROS, micros(how.times().ended()))
                .text(USER_AGENT, cut(userAgent));
        if (!how.traceId().isEmpty()) {
            out.text(TRACE_ID, how.traceId());
        }
        if (lostBefore > 0) {
            out.number(LOST_BEFORE, lostBefore);
        }
        out.end();
    }

    private long micros(long until) {
        return TimeUnit.NANOSECONDS.toMicros(until - how.times().begun());
    }
}
