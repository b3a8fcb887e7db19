package io.volute.server.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses the requests to trace. A client's trace header is read before the client is
 * authenticated, so the number of traces/s that clients can request is limited. Thread-safe.
 */
final class Sampling {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final String PARENT = "traceparent";

    private final long share;
    private final boolean isAll;
    private final long parentRate;

    /** Until when the allowance of clients is used up, in nanoseconds. */
    private final AtomicLong used;

    /**
     * @param share of requests, 0 to 1
     * @param parentRate most traces/s that clients can request; 0 ignores their headers
     * @param now present nanoseconds of the clock of later calls
     */
    Sampling(double share, long parentRate, long now) {
        isAll = share >= 1;
        // Half of it each way, as there is no unsigned double.
        this.share = (long) (share * 0x1p63);
        this.parentRate = parentRate;
        used = new AtomicLong(now - SECOND);
    }

    /**
     * Decides.
     *
     * @return what the trace of this request belongs to; empty when it is not traced
     */
    Optional<Context> of(HttpHead head, long now) {
        Context parent =
                parentRate == 0
                        ? Context.root()
                        : W3CTraceContextPropagator.getInstance()
                                .extract(Context.root(), head.headers(), Headers.ALL);
        SpanContext said = Span.fromContext(parent).getSpanContext();
        boolean isTraced =
                said.isValid()
                        ? said.isSampled() && (isAllowed(now) || isSampled(head))
                        : isSampled(head);
        return isTraced ? Optional.of(parent) : Optional.empty();
    }

    /** Request ids go round all numbers in even steps, and no client can choose one. */
    private boolean isSampled(HttpHead head) {
        return isAll || Long.parseUnsignedLong(head.requestId(), 16) >>> 1 < share;
    }

    /** Returns whether one more trace is within the rate. Unused traces expire after one second. */
    private boolean isAllowed(long now) {
        long step = SECOND / parentRate;
        while (true) {
            long before = used.get();
            long after = Math.max(before, now - SECOND) + step;
            if (after > now) {
                return false;
            }
            if (used.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /** The parent alone: what vendors add to it is a client's text of any kind. */
    private enum Headers implements TextMapGetter<HeaderList> {
        ALL;

        @Override
        public Iterable<String> keys(HeaderList headers) {
            return List.of(PARENT);
        }

        @Override
        public String get(HeaderList headers, String name) {
            List<String> values = name.equals(PARENT) ? headers.all(PARENT) : List.of();
            return values.size() == 1 ? values.getFirst() : null;
        }
    }
}
