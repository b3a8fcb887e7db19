package io.volute.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.volute.server.Limits;
import io.volute.server.s3.request.HttpHead;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one connection: which request is being answered, whether to read, how long to wait,
 * how to close. Confined to its event loop but for the methods that say otherwise. Never reads
 * unless somebody wants the bytes.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private enum Phase {
        /** For a request. */
        AWAITING,
        ANSWERING,
        /** The response is out, its request is not yet in: the rest is swallowed. */
        DRAINING,
        /** Only waiting for the client to take the last response and go. */
        LINGERING,
        CLOSED
    }

    /** What follows a written piece of a response. */
    enum After {
        MORE,
        KEEP,
        CLOSE
    }

    private final ServerParts parts;
    private final StrictRequestDecoder decoder;
    private ChannelHandlerContext ctx;
    private Outlet outlet;
    private Deadline deadline;
    private Phase phase = Phase.AWAITING;
    private boolean headDeadline = true;
    private boolean inputClosed;
    private boolean writing;
    private long drainedBytes;
    private Optional<Refusal> afterResponse = Optional.empty();
    private Optional<Exchange> exchange = Optional.empty();
    private RateGauge gauge;

    // Written by the event loop; also read by the request's thread when it makes a head.
    private volatile boolean keepAlive;
    private volatile boolean continueOwed;
    private volatile boolean requestComplete;
    private volatile long bytesExpected;

    Connection(ServerParts parts, StrictRequestDecoder decoder) {
        this.parts = parts;
        this.decoder = decoder;
        this.gauge = newGauge();
    }

    private RateGauge newGauge() {
        HttpSettings.Timeouts timeouts = parts.settings.timeouts();
        return new RateGauge(
                timeouts.bodyIdle().toNanos(),
                timeouts.bodyRate().window().toNanos(),
                timeouts.bodyRate().bytesPerSecond());
    }

    // ---- for the request's thread

    boolean isOpen() {
        return ctx.channel().isActive();
    }

    /** Whether the response being made may announce that the connection stays open. */
    boolean mayKeepAlive() {
        return keepAlive
                && !parts.isDraining()
                && (requestComplete || !continueOwed && bytesExpected <= Limits.DRAIN_BYTES_MAX);
    }

    /** Writes the beginning of a response that has more to come. */
    void write(HttpResponse head) {
        write(head, After.MORE, () -> {});
    }

    /**
     * Writes a piece of the response, in order. Takes over its buffer.
     *
     * @param done called once, when it was written or will never be
     */
    void write(HttpObject piece, After after, Runnable done) {
        try {
            ctx.executor().execute(() -> writeInLoop(piece, after, done));
        } catch (RejectedExecutionException e) {
            ReferenceCountUtil.release(piece);
            done.run();
        }
    }

    /** Closes without finishing the response, so that the client sees that it is incomplete. */
    void abort() {
        outlet.close();
    }

    private void bodyWanted() {
        try {
            ctx.executor().execute(this::feedBody);
        } catch (RejectedExecutionException e) {
            exchange.ifPresent(x -> x.body().fail("the server has stopped"));
        }
    }

    // ---- events

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        outlet = new Outlet(context);
        deadline = new Deadline(context.executor(), this::overdue);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        deadline.in(parts.settings.timeouts().header().toNanos());
        context.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        switch (message) {
            case HttpRequest request -> begin(request);
            case HttpContent content -> content(content);
            case Refusal refusal -> refused(refusal);
            case Object other -> ReferenceCountUtil.release(other);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (phase == Phase.AWAITING && decoder.isInsideHead() && !headDeadline) {
            headDeadline = true;
            deadline.in(parts.settings.timeouts().header().toNanos());
        }
        readOn();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputClosed = true;
            if (phase != Phase.ANSWERING) {
                outlet.close();
            } else if (!requestComplete) {
                failBody("the client closed the connection before the end of the body");
            }
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        phase = Phase.CLOSED;
        deadline.cancel();
        failBody("the client closed the connection before the end of the body");
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("connection {} closed: {}", context.channel().remoteAddress(), cause.toString());
        outlet.close();
    }

    // ---- requests

    private void begin(HttpRequest request) {
        if (phase != Phase.AWAITING) {
            return;
        }
        deadline.clear();
        phase = Phase.ANSWERING;
        requestComplete = false;
        keepAlive = false;
        Framing framing;
        try {
            framing = Framing.of(request);
        } catch (RefusedException e) {
            refuse(e.refusal(), request.method().name().equals("HEAD"));
            return;
        }
        keepAlive = framing.keepAlive();
        continueOwed = framing.expectsContinue();
        bytesExpected = Math.max(0, framing.contentLength());
        String method = request.method().name();
        HttpHead head =
                new HttpHead(
                        method,
                        framing.rawPath(),
                        framing.rawQuery(),
                        framing.headers(),
                        ctx.pipeline().get(SslHandler.class) != null,
                        remoteAddress(),
                        framing.contentLength(),
                        parts.ids.next());
        Optional<HttpObject> health = Health.answer(parts, head);
        if (health.isPresent()) {
            keepAlive = false;
            writeInLoop(health.get(), After.CLOSE, () -> {});
        } else if (parts.admission.tryBeginRequest()) {
            start(head);
        } else {
            refuse(Refusal.busy(), method.equals("HEAD"));
        }
    }

    private void start(HttpHead head) {
        gauge = newGauge();
        QueuedBody body = new QueuedBody(ctx.alloc(), parts.budget, this::bodyWanted);
        ResponseSender sender = new ResponseSender(parts, this, head, ctx.alloc());
        Exchange started = new Exchange(parts, this, head, body, sender);
        exchange = Optional.of(started);
        parts.requests.execute(started);
    }

    private String remoteAddress() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    private void content(HttpContent content) {
        if (content.decoderResult().isFailure()) {
            content.release();
            brokenBody();
            return;
        }
        int bytes = content.content().readableBytes();
        boolean last = content instanceof LastHttpContent;
        if (last && !((LastHttpContent) content).trailingHeaders().isEmpty()) {
            content.release();
            brokenBody();
            return;
        }
        bytesExpected = Math.max(0, bytesExpected - bytes);
        if (last) {
            requestComplete = true;
            decoder.requestComplete();
        }
        if (phase == Phase.ANSWERING && exchange.isPresent()) {
            QueuedBody body = exchange.get().body();
            continueOwed &= bytes == 0;
            boolean tooSlow = gauge.arrived(deadline.now(), bytes);
            body.put(content.content());
            if (last) {
                body.end();
            } else if (tooSlow) {
                tooSlow();
            }
            if (!writing) {
                deadline.clear();
            }
        } else {
            content.release();
            drained(bytes, last);
        }
    }

    private void drained(int bytes, boolean last) {
        drainedBytes += bytes;
        if (phase == Phase.DRAINING && last) {
            awaitRequest();
        } else if (drainedBytes > Limits.DRAIN_BYTES_MAX && phase != Phase.ANSWERING) {
            outlet.close();
        }
    }

    /** The framing of the body is wrong: whatever follows cannot be trusted to be a request. */
    private void brokenBody() {
        decoder.drop();
        keepAlive = false;
        if (phase == Phase.DRAINING) {
            outlet.close();
        }
        failBody("the framing of the request body is broken");
    }

    private void tooSlow() {
        keepAlive = false;
        failBody("the client sent the request body too slowly");
    }

    private void failBody(String reason) {
        exchange.ifPresent(x -> x.body().fail(reason));
    }

    /** The request's thread wants bytes. */
    private void feedBody() {
        if (phase != Phase.ANSWERING || exchange.isEmpty()) {
            return;
        }
        if (exchange.get().body().isHungry()) {
            if (inputClosed) {
                failBody("the client closed the connection before the end of the body");
                return;
            }
            if (continueOwed) {
                continueOwed = false;
                outlet.writeContinue();
            }
            long now = deadline.now();
            gauge.ask(now);
            if (!writing) {
                deadline.in(gauge.remainingNanos(now));
            }
        }
        readOn();
    }

    private void readOn() {
        boolean wanted =
                switch (phase) {
                    case AWAITING, DRAINING, LINGERING -> true;
                    // Behind a complete request only the client's end, or pipelining, can come.
                    case ANSWERING ->
                            requestComplete
                                    ? afterResponse.isEmpty()
                                    : exchange.isPresent() && exchange.get().body().wantsMore();
                    case CLOSED -> false;
                };
        if (wanted && !inputClosed) {
            ctx.read();
        }
    }

    // ---- responses

    private void writeInLoop(HttpObject piece, After after, Runnable done) {
        if (phase == Phase.CLOSED) {
            ReferenceCountUtil.release(piece);
            done.run();
            return;
        }
        writing = true;
        deadline.in(parts.settings.timeouts().writeIdle().toNanos());
        outlet.write(
                piece,
                written -> {
                    done.run();
                    if (!written) {
                        outlet.close();
                    } else if (after != After.MORE) {
                        responseDone(after == After.KEEP);
                    }
                });
    }

    private void responseDone(boolean keep) {
        if (phase != Phase.ANSWERING) {
            return;
        }
        writing = false;
        deadline.clear();
        exchange = Optional.empty();
        if (afterResponse.isPresent()) {
            refuse(afterResponse.get(), false);
        } else if (!keep || inputClosed || !keepAlive) {
            linger();
        } else if (requestComplete) {
            awaitRequest();
        } else {
            phase = Phase.DRAINING;
            drainedBytes = 0;
            deadline.in(parts.settings.timeouts().header().toNanos());
            readOn();
        }
    }

    private void awaitRequest() {
        phase = Phase.AWAITING;
        decoder.expectHead();
        if (parts.isDraining()) {
            outlet.close();
            return;
        }
        headDeadline = false;
        deadline.in(parts.settings.timeouts().idle().toNanos());
        readOn();
    }

    private void refused(Refusal refusal) {
        if (phase == Phase.ANSWERING) {
            afterResponse = Optional.of(refusal);
        } else if (phase == Phase.AWAITING) {
            phase = Phase.ANSWERING;
            refuse(refusal, false);
        }
    }

    /** Answers with an error and closes. */
    private void refuse(Refusal refusal, boolean head) {
        afterResponse = Optional.empty();
        keepAlive = false;
        decoder.drop();
        String requestId = parts.ids.next();
        LOG.debug("request {} refused: {}", requestId, refusal.message());
        writeInLoop(parts.heads.refusal(refusal, requestId, false, head), After.CLOSE, () -> {});
    }

    // ---- endings

    /**
     * Closes such that the client gets the response: closing a socket with unread input would reset
     * the connection and could destroy what is on its way.
     */
    private void linger() {
        if (inputClosed || requestComplete && exchange.isEmpty() && !decoder.isDropping()) {
            outlet.close();
            return;
        }
        phase = Phase.LINGERING;
        decoder.drop();
        drainedBytes = 0;
        deadline.in(Duration.ofSeconds(Limits.LINGER_SECONDS_MAX).toNanos());
        outlet.finish();
        readOn();
    }

    /** The server is stopping: a connection without request goes now. */
    void stopIdle() {
        if (phase == Phase.AWAITING && !decoder.isInsideHead()) {
            outlet.close();
        }
    }

    private void overdue() {
        switch (phase) {
            case AWAITING -> {
                if (decoder.isInsideHead()) {
                    phase = Phase.ANSWERING;
                    refuse(Refusal.timeout(), false);
                } else {
                    outlet.close();
                }
            }
            case ANSWERING -> overdueAnswer();
            case DRAINING, LINGERING -> outlet.close();
            case CLOSED -> {}
        }
    }

    private void overdueAnswer() {
        if (writing) {
            if (outlet.hasProgressed()) {
                deadline.in(parts.settings.timeouts().writeIdle().toNanos());
            } else {
                outlet.close();
            }
        } else if (gauge.isOverdue(deadline.now())) {
            tooSlow();
        }
    }
}
