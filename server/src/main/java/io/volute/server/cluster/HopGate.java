package io.volute.server.cluster;

import io.volute.server.cluster.HopSeal.Entrance;
import io.volute.server.cluster.HopSeal.Opened;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.Proxies;
import io.volute.server.s3.ErrorReply;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The handler of the listener for other nodes. It refuses whatever no node of the cluster has
 * sealed, and handles the rest as the client has sent it to that node.
 *
 * @param election of this owner
 * @param s3 handles requests that came to the listener for S3
 * @param admin handles requests that came to the listener for the admin API alone
 */
record HopGate(HopSeal seal, long election, S3Handler s3, S3Handler admin) implements S3Handler {
    /** Longer than a node keeps an idle connection, so that it never uses a closed one. */
    private static final Duration IDLE = Duration.ofMinutes(2);

    private static final String NO_ENTRANCE = "-";

    /** The seal, and the host that a client of HTTP/1.0 has not named. */
    private static final int ADDED_HEADERS = 2;

    /** Refuses a request that the store has not seen: the node may send it to the next owner. */
    static final S3Handler REFUSED =
            (head, body) ->
                    new S3Response(
                            503,
                            List.of(new Header(HopSeal.HEADER, "refused")),
                            new Content.None(-1));

    /**
     * Returns the settings of the listener for other nodes, which limit their clients already. One
     * node has as many connections as it may have requests and idle ones. So somebody without the
     * secret cannot take all connections from one address.
     */
    static HttpSettings listener(HttpSettings clients, ClusterConfig cluster) {
        Caps caps = clients.caps();
        Timeouts times = clients.timeouts();
        return new HttpSettings(
                cluster.address(),
                cluster.tls(),
                new Caps(
                        caps.connections(),
                        Math.min(caps.connections(), caps.requestsInFlight() + HopPool.MOST_IDLE),
                        caps.requestsInFlight(),
                        caps.requestsInFlight(),
                        caps.bufferBytes()),
                new Timeouts(
                        times.header(),
                        IDLE,
                        times.bodyIdle(),
                        times.writeIdle(),
                        times.bodyRate()),
                Proxies.NONE,
                ADDED_HEADERS);
    }

    /**
     * Returns the head that the client has sent, with the entrance in place of the seal. Without a
     * sound seal, the head has neither. A seal for another election, or one that was opened before,
     * has no entrance.
     */
    HttpHead arrival(HttpHead head) {
        return seal.open(head)
                .map(opened -> opened.head(isFor(opened) ? opened.entrance().name() : NO_ENTRANCE))
                .orElseGet(() -> HopSeal.withoutSeal(head));
    }

    private boolean isFor(Opened opened) {
        return opened.isFirst() && opened.election() == election;
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        Optional<String> entrance = head.headers().first(HopSeal.HEADER);
        if (entrance.isEmpty()) {
            return ErrorReply.of(
                    new S3Exception(
                            S3Error.ACCESS_DENIED,
                            "This listener is for the other nodes of the cluster. Use the address"
                                    + " of S3. From a node: compare cluster.secret-file and the"
                                    + " clocks of both."),
                    head);
        }
        if (entrance.get().equals(NO_ENTRANCE)) {
            return REFUSED.handle(head, body);
        }
        HttpHead sent = HopSeal.withoutSeal(head);
        return switch (Entrance.valueOf(entrance.get())) {
            case S3 -> s3.handle(sent, body);
            case ADMIN -> admin.handle(sent, body);
        };
    }
}
