package io.volute.server.http.message;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.volute.server.Limits;
import java.util.List;

/**
 * Netty's request decoder behind a {@link HeadScanner}: no byte of a head reaches it before the
 * whole head was found sound. A refusal goes down the pipeline as a {@link Refusal}, once; after
 * that every byte is dropped. So are bytes behind a request that is still being answered.
 */
public final class StrictRequestDecoder extends HttpRequestDecoder {
    private enum State {
        HEAD,
        BODY,
        /** The request is complete and not yet answered: any further byte is pipelining. */
        ANSWERING,
        DROPPING
    }

    private final HeadScanner scanner;
    private State state = State.HEAD;

    /**
     * @param addedHeaders headers that a request may have beyond those of a client
     */
    public StrictRequestDecoder(int addedHeaders) {
        // The scanner holds the exact limits; Netty's only have to be no smaller.
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(Limits.REQUEST_LINE_BYTES_MAX + 2)
                        .setMaxHeaderSize(HeadScanner.headerBytes(addedHeaders) + 2)
                        .setMaxChunkSize(Limits.READ_BYTES_MAX)
                        .setStrictLineParsing(true)
                        .setAllowDuplicateContentLengths(false)
                        .setUseRfc9112TransferEncoding(true));
        scanner = new HeadScanner(addedHeaders);
    }

    /** Some bytes of the next head have arrived, but not all. */
    public boolean isInsideHead() {
        return state == State.HEAD && scanner.isStarted();
    }

    /** The message that is being decoded was delivered to its end. */
    public void requestComplete() {
        if (state == State.BODY) {
            state = State.ANSWERING;
        }
    }

    /** The response is out: the next byte begins a new request. */
    public void expectHead() {
        if (state == State.ANSWERING) {
            state = State.HEAD;
        }
    }

    /** Returns whether all further input is dropped. */
    public boolean isDropping() {
        return state == State.DROPPING;
    }

    /** Drops all further input. */
    public void drop() {
        state = State.DROPPING;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        switch (state) {
            case HEAD -> decodeHead(ctx, in, out);
            case BODY -> super.decode(ctx, in, out);
            case ANSWERING -> refuse(in, out, Refusal.pipelined());
            case DROPPING -> in.skipBytes(in.readableBytes());
        }
    }

    private void decodeHead(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        try {
            if (scanner.scan(in)) {
                scanner.reset();
                state = State.BODY;
                super.decode(ctx, in, out);
            }
        } catch (RefusedException e) {
            refuse(in, out, e.refusal());
        }
    }

    private void refuse(ByteBuf in, List<Object> out, Refusal refusal) {
        in.skipBytes(in.readableBytes());
        state = State.DROPPING;
        out.add(refusal);
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        // A head or body cut off by the client's end is noticed by the connection, not here.
        if (in.isReadable() && state != State.DROPPING) {
            decode(ctx, in, out);
        }
    }
}
