package io.volute.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.volute.server.Limits;
import io.volute.server.http.message.Refusal;
import java.util.concurrent.TimeUnit;

/** Tells a client over the connection cap to come back later, and closes. */
final class ConnectionRefusalHandler extends ChannelInboundHandlerAdapter {
    private final ServerParts parts;

    ConnectionRefusalHandler(ServerParts parts) {
        this.parts = parts;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.pipeline().addFirst(new HttpResponseEncoder());
        // What the client sends is read and dropped: unread input would turn the close to a reset.
        ScheduledFuture<?> giveUp =
                context.executor()
                        .schedule(
                                () -> close(context), Limits.LINGER_SECONDS_MAX, TimeUnit.SECONDS);
        ChannelFuture unused =
                context.channel().closeFuture().addListener(f -> giveUp.cancel(false));
        ChannelFuture unusedToo =
                context.writeAndFlush(refusal(context)).addListener(f -> context.read());
    }

    private HttpObject refusal(ChannelHandlerContext context) {
        Refusal refusal = Refusal.busy();
        String requestId = parts.ids.next();
        parts.refused(refusal, requestId, context.channel());
        return parts.heads.refusal(refusal, requestId, false, false);
    }

    private static void close(ChannelHandlerContext context) {
        ChannelFuture unused = context.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
        close(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close(context);
    }
}
