package io.volute.server.http;

import io.netty.channel.Channel;
import io.volute.server.s3.request.ClientNetwork;
import io.volute.server.s3.request.HeaderList;
import java.util.Optional;

/**
 * The other end of a connection: a client, or a trusted proxy that passes on the addresses of its
 * clients. Confined to the connection's event loop.
 */
final class Peer {
    private final ServerParts parts;
    private final boolean isForwarding;
    private Admission.Share share;

    /**
     * @param address of the peer
     * @param share of its network
     */
    Peer(ServerParts parts, String address, Admission.Share share) {
        this.parts = parts;
        this.isForwarding = parts.settings.proxies().forwards(address);
        this.share = share;
    }

    /** Sets the client that a proxy has named, before the first request. */
    void actsFor(Admission.Share client) {
        share = client;
    }

    /** Returns the address of the client that sends a request. */
    String client(Channel channel, HeaderList headers) {
        String address = ServerParts.remoteAddress(channel);
        return isForwarding
                ? parts.settings.proxies().client(address, headers.all(Proxies.FORWARDED))
                : address;
    }

    /**
     * Counts a request of a client.
     *
     * @param isSigned the request has a signature, which is not verified yet
     * @return its place until {@link ServerParts#requestEnded}; empty when it may not be handled
     */
    Optional<Admission.Place> tryBeginRequest(String client, boolean isSigned) {
        return isForwarding
                ? parts.admission.tryBeginRequest(ClientNetwork.of(client), isSigned)
                : parts.admission.tryBeginRequest(share, isSigned);
    }
}
