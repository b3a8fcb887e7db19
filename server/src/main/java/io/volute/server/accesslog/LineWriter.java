package io.volute.server.accesslog;

import io.volute.server.Limits;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.json.VisibleLines;
import io.volute.server.json.VisibleLines.Name;
import io.volute.server.json.VisibleLines.Repeated;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.request.S3Response.About;

/**
 * Writes lines. In most lines, half of the fields equal those of the line before; these are not
 * encoded again. Not thread-safe.
 */
final class LineWriter {
    private static final Name TIME = Name.of("time");
    private static final Name REQUEST_ID = Name.of("requestId");
    private static final Name KEY = Name.of("key");
    private static final Name STATUS = Name.of("status");
    private static final Name COMPLETE = Name.of("complete");
    private static final Name BYTES_IN = Name.of("bytesIn");
    private static final Name BYTES_OUT = Name.of("bytesOut");
    private static final Name FIRST_BYTE_MICROS = Name.of("firstByteMicros");
    private static final Name TOTAL_MICROS = Name.of("totalMicros");
    private static final Name TRACE_ID = Name.of("traceId");
    private static final Name LOST_BEFORE = Name.of("lostBefore");

    private final Repeated user = repeated("user");
    private final Repeated accessKey = repeated("accessKey");
    private final Repeated session = repeated("session");
    private final Repeated remoteAddress = repeated("remoteAddress");
    private final Repeated method = repeated("method");
    private final Repeated operation = repeated("operation");
    private final Repeated bucket = repeated("bucket");
    private final Repeated code = repeated("code");
    private final Repeated userAgent = repeated("userAgent");

    private static Repeated repeated(String name) {
        return new Repeated(Name.of(name));
    }

    private static String cut(String text) {
        return VisibleText.cut(text, Limits.ACCESS_LOG_TEXT_CHARS_MAX);
    }

    /**
     * Appends the line and its end; every text in it is cut to its maximum length.
     *
     * @param lostBefore number of lines that were lost before it; 0 is left out
     */
    void write(Line line, VisibleLines out, long lostBefore) {
        Answered how = line.how();
        About about = how.about();
        out.begin()
                .time(TIME, line.begun())
                .text(REQUEST_ID, line.requestId())
                .text(user, about.user())
                .text(accessKey, about.accessKey())
                .text(session, about.session())
                .text(remoteAddress, line.remoteAddress())
                .text(method, line.method())
                .text(operation, about.operation())
                .text(bucket, cut(about.bucket()))
                .text(KEY, cut(about.key()))
                .number(STATUS, how.status())
                .text(code, about.code())
                .flag(COMPLETE, how.complete())
                .number(BYTES_IN, how.bytes().in())
                .number(BYTES_OUT, how.bytes().out())
                .number(FIRST_BYTE_MICROS, line.micros(how.times().firstByte()))
                .number(TOTAL_MICROS, line.micros(how.times().ended()))
                .text(userAgent, cut(line.userAgent()));
        if (!how.traceId().isEmpty()) {
            out.text(TRACE_ID, how.traceId());
        }
        if (lostBefore > 0) {
            out.number(LOST_BEFORE, lostBefore);
        }
        out.end();
    }
}
