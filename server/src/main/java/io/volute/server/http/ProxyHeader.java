package io.volute.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.util.AttributeKey;
import io.volute.server.auth.policy.Address;
import io.volute.server.s3.request.ClientNetwork;
import java.util.Optional;

/**
 * Takes the address of the client from the PROXY protocol header of a trusted proxy, before the
 * first byte of TLS or HTTP. A connection without a sound header is closed.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {
    /** The client address from the header of a proxy. */
    static final AttributeKey<String> CLIENT = AttributeKey.valueOf(ProxyHeader.class, "client");

    private final ServerParts parts;
    private final Peer peer;

    ProxyHeader(ServerParts parts, Peer peer) {
        this.parts = parts;
        this.peer = peer;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof HAProxyMessage header)) {
            context.fireChannelRead(message);
            return;
        }
        try {
            begin(context, header);
        } finally {
            header.release();
        }
    }

    private void begin(ChannelHandlerContext context, HAProxyMessage header) {
        context.pipeline().remove(this);
        if (header.command() == HAProxyCommand.LOCAL || header.sourceAddress() == null) {
            // The proxy itself, for example a health check.
            return;
        }
        Optional<String> client = Address.normalized(header.sourceAddress());
        Optional<Admission.Share> share =
                client.flatMap(
                        address -> parts.admission.enterBehindProxy(ClientNetwork.of(address)));
        if (share.isEmpty()) {
            ChannelFuture unused = context.close();
            return;
        }
        context.channel().attr(CLIENT).set(client.orElseThrow());
        peer.actsFor(share.get());
        ChannelFuture unused =
                context.channel()
                        .closeFuture()
                        .addListener(f -> parts.admission.leaveBehindProxy(share.get()));
    }
}
