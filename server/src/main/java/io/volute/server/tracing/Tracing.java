package io.volute.server.tracing;

import io.opentelemetry.context.Context;
import io.volute.provenance.keys.PrivateFile;
import io.volute.server.config.TracingConfig;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.storage.Cube;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Traces of requests. Each request is answered by its own thread, so that thread identifies the
 * trace for every part of the work. The end of a request can be reported by any thread.
 * Thread-safe.
 */
public final class Tracing implements AutoCloseable {
    private static final int HEADERS_BYTES = 8192;
    private static final Pattern HEADER =
            Pattern.compile("([A-Za-z0-9-]{1,64}):[ \\t]*([\\x20-\\x7E]*[\\x21-\\x7E])[ \\t]*");
    private static final Runnable NOTHING = () -> {};

    private final Sampling sampling;
    private final SpanExport export;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final ThreadLocal<RequestTrace> current = new ThreadLocal<>();

    /** Traces in progress, by their ids. */
    private final Map<String, Traced> open = new ConcurrentHashMap<>();

    /** A request that is traced, with its body. */
    private record Traced(RequestTrace trace, TimedBody body) {}

    /** Counts since start. */
    public record Spans(long sent, long lost) {
        public static final Spans NONE = new Spans(0, 0);
    }

    private Tracing(Sampling sampling, SpanExport export, LongSupplier nanos, InstantSource clock) {
        this.sampling = sampling;
        this.export = export;
        this.nanos = nanos;
        this.clock = clock;
    }

    /**
     * Starts tracing.
     *
     * @param nanos a monotonic clock
     * @throws IOException when the file of headers cannot be used; the message names the next step
     */
    public static Tracing start(TracingConfig config, LongSupplier nanos, InstantSource clock)
            throws IOException {
        Map<String, String> headers =
                config.headersFile().isPresent() ? headers(config.headersFile().get()) : Map.of();
        return new Tracing(
                new Sampling(config.sample(), config.parentRate(), nanos.getAsLong()),
                new SpanExport(config.endpoint(), headers),
                nanos,
                clock);
    }

    private static Map<String, String> headers(Path path) throws IOException {
        PrivateFile file = new PrivateFile("tracing.headers-file", path);
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line : file.read(HEADERS_BYTES).lines().toList()) {
            Matcher header = HEADER.matcher(line);
            if (!header.matches()) {
                throw file.unusable("has a line that is no header; write lines of NAME: VALUE");
            }
            headers.put(header.group(1), header.group(2));
        }
        return headers;
    }

    /** Returns the cube with timed commits, so that traces show the waits of requests for them. */
    public Cube timing(Cube cube) {
        return new TimedCube(cube, () -> traced().map(trace -> stage(trace, "commit")));
    }

    /** Starts to time the authentication of a request; the result ends that. */
    public Runnable authentication() {
        return traced().map(trace -> stage(trace, "authenticate")).orElse(NOTHING);
    }

    private Optional<RequestTrace> traced() {
        return Optional.ofNullable(current.get());
    }

    private Runnable stage(RequestTrace trace, String name) {
        long begun = nanos.getAsLong();
        return () -> trace.add(name, begun, nanos.getAsLong());
    }

    /** Counts since start. */
    public Spans spans() {
        return new Spans(export.sent(), export.lost());
    }

    /**
     * Returns a watch that traces requests.
     *
     * @param next receives the same events, with the trace's id; its clock is the clock of all
     *     times
     */
    public RequestWatch before(RequestWatch next) {
        return new Watch(next);
    }

    private final class Watch implements RequestWatch {
        private final RequestWatch next;

        Watch(RequestWatch next) {
            this.next = next;
        }

        @Override
        public long now() {
            return next.now();
        }

        @Override
        public RequestBody begun(HttpHead head, RequestBody body) {
            RequestBody seen = next.begun(head, body);
            Optional<Context> parent = sampling.of(head, nanos.getAsLong());
            if (parent.isEmpty()) {
                return seen;
            }
            TimedBody timed = new TimedBody(seen, nanos);
            RequestTrace trace = new RequestTrace(parent.get());
            open.put(head.requestId(), new Traced(trace, timed));
            current.set(trace);
            return timed;
        }

        @Override
        public void answered(HttpHead head, Answered how) {
            Traced traced = open.remove(head.requestId());
            if (traced == null) {
                next.answered(head, how);
                return;
            }
            traced.body().tell(traced.trace());
            next.answered(
                    head, how.traced(RequestSpans.send(export, head, how, traced.trace(), clock)));
        }

        @Override
        public void refused(Refused refused) {
            next.refused(refused);
        }
    }

    /** Sends the waiting spans, if there is time for it. Requests have ended. */
    @Override
    public void close() {
        export.close();
    }
}
