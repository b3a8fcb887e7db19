package io.volute.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.volute.server.Limits;
import io.volute.server.http.message.Framing;
import io.volute.server.http.message.Refusal;
import io.volute.server.http.message.RefusedException;
import io.volute.server.http.message.StrictRequestDecoder;
import io.volute.server.s3.request.HttpHead;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one connection: which request is being answered, whether to read, how long to wait,
 * how to close. Confined to its event loop, except for methods with another statement. It reads
 * only when a consumer wants the bytes.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final ServerParts parts;
    private final StrictRequestDecoder decoder;
    private final Peer peer;
    private final BodyIntake intake;
    private ChannelHandlerContext ctx;
    private Outlet outlet;
    private Deadline deadline;
    private Phase phase = Phase.AWAITING;
    private boolean headDeadline = true;
    private boolean inputClosed;
    private boolean writing;
    private Optional<Refusal> afterResponse = Optional.empty();
    private boolean hasExchange;

    /** True when the client of the present request can read chunks; any thread may read it. */
    private volatile boolean takesChunks;

    /** True when the connection stays open; the request's thread reads it, too. */
    private volatile boolean keepAlive;

    Connection(ServerParts parts, StrictRequestDecoder decoder, Peer peer) {
        this.parts = parts;
        this.decoder = decoder;
        this.peer = peer;
        this.intake = new BodyIntake(parts.settings.timeouts());
    }

    // ---- for the request's thread

    boolean isOpen() {
        return ctx.channel().isActive();
    }

    /** Returns whether the response being made may announce that the connection stays open. */
    boolean mayKeepAlive() {
        return keepAlive && !parts.isDraining() && intake.leavesConnectionUsable();
    }

    /** Returns whether the client can read a response whose length is not known. */
    boolean takesChunks() {
        return takesChunks;
    }

    /** Makes a deadline of the request, which is confined to the event loop. */
    Deadline deadline(Runnable due) {
        return parts.deadlines.on(ctx.executor(), due);
    }

    /**
     * Writes a piece of the response, in order. Takes over its buffer.
     *
     * @param done called once, when it was written or will never be
     */
    void write(HttpObject piece, Outlet.After after, Runnable done) {
        if (!inLoop(() -> writeInLoop(piece, after, done))) {
            ReferenceCountUtil.release(piece);
            done.run();
        }
    }

    /** Closes without finishing the response, so that the client sees that it is incomplete. */
    void abort() {
        outlet.close();
    }

    /** Gives what comes of the body as much time as a head has, or as much as it takes again. */
    void limitBody(boolean isLimited) {
        inLoop(() -> intake.limit(isLimited, deadline.now()));
    }

    /** Returns false when the server has stopped. */
    boolean inLoop(Runnable task) {
        try {
            ctx.executor().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // ---- events

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        outlet = new Outlet(context);
        deadline = parts.deadlines.on(context.executor(), this::overdue);
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
            } else if (!intake.isComplete()) {
                intake.fail(BodyIntake.CUT_OFF);
            }
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        phase = Phase.CLOSED;
        deadline.cancel();
        intake.fail(BodyIntake.CUT_OFF);
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
        intake.begin();
        keepAlive = false;
        Framing framing;
        try {
            framing = Framing.of(request);
        } catch (RefusedException e) {
            refuse(e.refusal(), request.method().name().equals("HEAD"));
            return;
        }
        keepAlive = framing.keepAlive();
        takesChunks = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        if (intake.expect(framing)) {
            outlet.writeContinue();
        }
        String method = request.method().name();
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        String address = peer.client(ctx.channel(), framing.headers());
        HttpHead head = framing.head(method, tls, address, parts.ids.next());
        Optional<HttpObject> health = Health.answer(parts, head);
        if (health.isPresent()) {
            keepAlive = false;
            writeInLoop(health.get(), Outlet.After.CLOSE, () -> {});
        } else {
            peer.tryBeginRequest(address, head.isSigned())
                    .ifPresentOrElse(
                            place -> start(head, place),
                            () -> refuse(Refusal.busy(), method.equals("HEAD")));
        }
    }

    private void start(HttpHead sent, Admission.Place place) {
        QueuedBody body = new QueuedBody(ctx.alloc(), parts.budget, () -> inLoop(this::feedBody));
        Services.Arrival arrival = parts.arrival(sent);
        HttpServer.Service service = arrival.service();
        RequestAllowance allowance = new RequestAllowance(parts, place, arrival.head(), this);
        HttpHead head = arrival.head().with(allowance);
        var sender = new ResponseSender(parts, service.watch(), this, head, allowance, ctx.alloc());
        allowance.whenLong(sender::beginWaiting);
        intake.deliverTo(body);
        hasExchange = true;
        parts.requests.execute(new Exchange(parts, service, this, allowance, head, body, sender));
    }

    private void content(HttpContent content) {
        BodyIntake.Arrival arrival = intake.arrived(content, deadline.now());
        if (phase == Phase.ANSWERING && hasExchange && !writing) {
            deadline.clear();
        }
        switch (arrival) {
            case MORE -> {}
            case LAST -> {
                decoder.requestComplete();
                if (phase == Phase.DRAINING) {
                    awaitRequest();
                }
            }
            case BROKEN -> {
                decoder.drop();
                keepAlive = false;
                if (phase == Phase.DRAINING) {
                    outlet.close();
                }
            }
            case TOO_SLOW -> keepAlive = false;
        }
        if (phase == Phase.DRAINING && intake.isDiscardingTooMuch()) {
            outlet.close();
        }
    }

    /** The request's thread wants bytes. */
    private void feedBody() {
        if (phase != Phase.ANSWERING) {
            return;
        }
        if (intake.isHungry()) {
            if (inputClosed) {
                intake.fail(BodyIntake.CUT_OFF);
                return;
            }
            if (intake.takeContinue()) {
                outlet.writeContinue();
            }
            long patience = intake.ask(deadline.now());
            if (!writing) {
                deadline.in(patience);
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
                            intake.isComplete() ? afterResponse.isEmpty() : intake.wantsMore();
                    case CLOSED -> false;
                };
        if (wanted && !inputClosed) {
            ctx.read();
        }
    }

    // ---- responses

    private void writeInLoop(HttpObject piece, Outlet.After after, Runnable done) {
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
                    } else if (after != Outlet.After.MORE) {
                        responseDone(after == Outlet.After.KEEP);
                    }
                });
    }

    private void responseDone(boolean keep) {
        if (phase != Phase.ANSWERING) {
            return;
        }
        writing = false;
        deadline.clear();
        hasExchange = false;
        intake.discard();
        if (afterResponse.isPresent()) {
            refuse(afterResponse.get(), false);
        } else if (!keep || inputClosed || !keepAlive) {
            linger();
        } else if (intake.isComplete()) {
            awaitRequest();
        } else {
            phase = Phase.DRAINING;
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
            afterResponse = Optional.of(parts.pipelined(refusal));
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
        parts.refused(refusal, requestId, ctx.channel());
        writeInLoop(
                parts.heads.refusal(refusal, requestId, false, head), Outlet.After.CLOSE, () -> {});
    }

    // ---- endings

    /**
     * Closes such that the client gets the response: closing a socket with unread input would reset
     * the connection and could destroy what is on its way.
     */
    private void linger() {
        if (inputClosed || intake.isComplete() && !hasExchange && !decoder.isDropping()) {
            outlet.close();
            return;
        }
        phase = Phase.LINGERING;
        decoder.drop();
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
        } else if (intake.isOverdue(deadline.now())) {
            keepAlive = false;
            intake.fail(BodyIntake.SLOW);
        }
    }
}
