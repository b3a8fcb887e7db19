package io.volute.server.accesslog;

import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Refused;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The logged facts about a request; {@link LineWriter} writes them. */
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

    /** Microseconds from its beginning. */
    long micros(long until) {
        return TimeUnit.NANOSECONDS.toMicros(until - how.times().begun());
    }
}
