package io.volute.server.accesslog;

import io.volute.server.Limits;
import io.volute.server.http.RequestWatch.Answered;
import io.volute.server.http.RequestWatch.Bytes;
import io.volute.server.http.RequestWatch.Refused;
import io.volute.server.http.RequestWatch.Times;
import io.volute.server.json.VisibleLines;
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
                .time("time", begun)
                .text("requestId", requestId)
                .text("user", about.user())
                .text("accessKey", about.accessKey())
                .text("session", about.session())
                .text("remoteAddress", remoteAddress)
                .text("method", method)
                .text("operation", about.operation())
                .text("bucket", cut(about.bucket()))
                .text("key", cut(about.key()))
                .number("status", how.status())
                .text("code", about.code())
                .flag("complete", how.complete())
                .number("bytesIn", how.bytes().in())
                .number("bytesOut", how.bytes().out())
                .number("firstByteMicros", micros(how.times().firstByte()))
                .number("totalMicros", micros(how.times().ended()))
                .text("userAgent", cut(userAgent));
        if (!how.traceId().isEmpty()) {
            out.text("traceId", how.traceId());
        }
        if (lostBefore > 0) {
            out.number("lostBefore", lostBefore);
        }
        out.end();
    }

    private long micros(long until) {
        return TimeUnit.NANOSECONDS.toMicros(until - how.times().begun());
    }
}
