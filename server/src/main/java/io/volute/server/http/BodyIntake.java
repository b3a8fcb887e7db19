package io.volute.server.http;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.volute.server.Limits;
import io.volute.server.http.message.Framing;
import java.util.Optional;

/**
 * The body of a connection's current request as it comes in. Confined to the event loop but for
 * {@link #leavesConnectionUsable}.
 */
final class BodyIntake {
    static final String CUT_OFF = "the client closed the connection before the end of the body";
    static final String BROKEN = "the framing of the request body is broken";
    static final String SLOW = "the client sent the request body too slowly";

    /** The effect of a piece of a body on its connection. */
    enum Arrival {
        MORE,
        LAST,
        /** The following bytes cannot be trusted to be a request. */
        BROKEN,
        TOO_SLOW
    }

    private final HttpSettings.Timeouts timeouts;
    private Optional<QueuedBody> body = Optional.empty();
    private RateGauge gauge;
    private long discardedBytes;
    private boolean hasEnd;
    private long endNanos;

    // Written by the event loop; also read by the request's thread when it makes a head.
    private volatile boolean continueOwed;
    private volatile boolean complete;
    private volatile long bytesExpected;

    BodyIntake(HttpSettings.Timeouts timeouts) {
        this.timeouts = timeouts;
        this.gauge = newGauge();
    }

    private RateGauge newGauge() {
        return new RateGauge(
                timeouts.bodyIdle().toNanos(),
                timeouts.bodyRate().window().toNanos(),
                timeouts.bodyRate().bytesPerSecond());
    }

    /** Begins a new request, whose body has no taker yet. */
    void begin() {
        body = Optional.empty();
        gauge = newGauge();
        discardedBytes = 0;
        hasEnd = false;
        complete = false;
        continueOwed = false;
        bytesExpected = 0;
    }

    /**
     * Returns whether to send {@code 100 Continue} at once. With an empty body there is nothing to
     * wait for, but botocore mistakes the next response on a connection on which an expectation was
     * answered without 100.
     */
    boolean expect(Framing framing) {
        bytesExpected = Math.max(0, framing.contentLength());
        boolean atOnce = framing.expectsContinue() && framing.contentLength() == 0;
        continueOwed = framing.expectsContinue() && !atOnce;
        return atOnce;
    }

    /** Sets the queue that receives the body from now on. */
    void deliverTo(QueuedBody taker) {
        body = Optional.of(taker);
    }

    /** The response is out: what still comes is counted and dropped. */
    void discard() {
        body = Optional.empty();
    }

    boolean isComplete() {
        return complete;
    }

    /** More came without a taker than is worth reading. */
    boolean isDiscardingTooMuch() {
        return discardedBytes > Limits.DRAIN_BYTES_MAX;
    }

    /**
     * Whether the rest of the body is short enough, and sure enough to come, that the connection
     * can be kept. Also for the request's thread.
     */
    boolean leavesConnectionUsable() {
        return complete || !continueOwed && bytesExpected <= Limits.DRAIN_BYTES_MAX;
    }

    /** Takes over a piece. */
    Arrival arrived(HttpContent content, long now) {
        boolean last = content instanceof LastHttpContent;
        boolean trailers = last && !((LastHttpContent) content).trailingHeaders().isEmpty();
        if (content.decoderResult().isFailure() || trailers) {
            content.release();
            fail(BROKEN);
            return Arrival.BROKEN;
        }
        int bytes = content.content().readableBytes();
        bytesExpected = Math.max(0, bytesExpected - bytes);
        complete = last;
        if (body.isEmpty()) {
            content.release();
            discardedBytes += bytes;
            return last ? Arrival.LAST : Arrival.MORE;
        }
        if (bytes > 0) {
            continueOwed = false;
        }
        boolean slow = gauge.arrived(now, bytes);
        body.get().put(content.content());
        if (last) {
            body.get().end();
            return Arrival.LAST;
        }
        if (slow) {
            fail(SLOW);
            return Arrival.TOO_SLOW;
        }
        return Arrival.MORE;
    }

    void fail(String reason) {
        body.ifPresent(taker -> taker.fail(reason));
    }

    /** The taker waits and nothing is there for it. */
    boolean isHungry() {
        return body.isPresent() && body.get().isHungry();
    }

    boolean wantsMore() {
        return body.isPresent() && body.get().wantsMore();
    }

    /** Returns true once, when the client waits for {@code 100 Continue}. */
    boolean takeContinue() {
        boolean owed = continueOwed;
        continueOwed = false;
        return owed;
    }

    /** The wait for the client begins (or goes on); returns how long it may last, nanoseconds. */
    long ask(long now) {
        gauge.ask(now);
        long patience = gauge.remainingNanos(now);
        return hasEnd ? Math.min(patience, Math.max(0, endNanos - now)) : patience;
    }

    boolean isOverdue(long now) {
        return gauge.isOverdue(now) || hasEnd && now - endNanos >= 0;
    }

    /** Limits the further body to the time of a head, or ends that limit. */
    void limit(boolean isLimited, long now) {
        hasEnd = isLimited;
        endNanos = now + timeouts.header().toNanos();
    }
}
