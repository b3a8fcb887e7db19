package io.volute.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;

/** The writing side of a connection. Confined to its event loop. */
final class Outlet {
    /** The next step of the connection after a written piece of a response. */
    enum After {
        MORE,
        KEEP,
        CLOSE
    }

    private final ChannelHandlerContext ctx;
    private long lastProgress;

    Outlet(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /** Writes, and flushes unless more of the same follows at once. Takes over the buffer. */
    void write(HttpObject piece, Consumer<Boolean> written) {
        // A head alone is flushed with its first content.
        ChannelFuture future =
                piece instanceof HttpContent ? ctx.writeAndFlush(piece) : ctx.write(piece);
        ChannelFuture unused = future.addListener(f -> written.accept(f.isSuccess()));
    }

    void writeContinue() {
        ChannelFuture unused =
                ctx.writeAndFlush(
                        new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }

    /** Returns whether the socket took at least one byte since the last call. */
    boolean hasProgressed() {
        var pending = ctx.channel().unsafe().outboundBuffer();
        if (pending == null) {
            return false;
        }
        // A number that changes whenever the socket takes bytes.
        long progress = pending.totalPendingWriteBytes() * 31 + pending.currentProgress();
        boolean changed = progress != lastProgress;
        lastProgress = progress;
        return changed;
    }

    /** Ends the output towards the client, and still accepts its input. */
    void finish() {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        if (tls != null) {
            ChannelFuture unused = tls.closeOutbound();
        } else if (ctx.channel() instanceof DuplexChannel channel) {
            ChannelFuture unused = channel.shutdownOutput();
        }
    }

    void close() {
        ChannelFuture unused = ctx.close();
    }
}
