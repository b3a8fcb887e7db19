package io.volute.server.cluster.hop;

import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.hop.HopSeal.Opened;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.Proxies;
import io.volute.server.http.Services;
import io.volute.server.http.watch.RequestWatch;
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
import java.util.function.LongFunction;

/**
 * The listener for other nodes. It refuses whatever no node of the cluster has sealed, and handles
 * the rest as the client has sent it to the first node. A node that has several roles handles each
 * request in the role whose election is in the seal.
 *
 * @param ready decides the answers to health checks
 * @param watch of requests that no role handles
 * @param roles returns the handlers of a role of this node, by its election; empty for others
 */
public record HopGate(
        HopSeal seal, Readiness ready, RequestWatch watch, LongFunction<Optional<Handlers>> roles)
        implements Services {
    /**
     * The handlers of one role.
     *
     * @param s3 handles requests that came to the listener for S3
     * @param admin handles requests that came to the listener for the admin API alone
     * @param nodes handles calls of other nodes, see {@link NodeCallHandler}
     * @param watch of requests of clients
     */
    public record Handlers(S3Handler s3, S3Handler admin, S3Handler nodes, RequestWatch watch) {
        private Service of(Entrance entrance, Readiness ready) {
            return switch (entrance) {
                case S3 -> new Service(s3, ready, watch);
                case ADMIN -> new Service(admin, ready, watch);
                case NODES -> new Service(nodes, ready, RequestWatch.NONE);
            };
        }
    }

    /** Longer than a node keeps an idle connection, so that it never uses a closed one. */
    private static final Duration IDLE = Duration.ofMinutes(2);

    /** The seal, an expectation, and the host that a client of HTTP/1.0 has not named. */
    private static final int ADDED_HEADERS = 3;

    /** Refuses a request that the store has not seen: the node may send it to the next owner. */
    public static final S3Handler REFUSED =
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
    public static HttpSettings listener(HttpSettings clients, ClusterConfig cluster) {
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
                        caps.bufferBytes(),
                        caps.requestsInFlight(),
                        caps.memoryBytes()),
                new Timeouts(
                        times.handshake(),
                        times.header(),
                        IDLE,
                        times.bodyIdle(),
                        times.writeIdle(),
                        times.bodyRate()),
                Proxies.NONE,
                ADDED_HEADERS);
    }

    @Override
    public Service now() {
        return new Service(HopGate::deny, ready, watch);
    }

    /** Refuses a seal for an election that this node does not have, or one that was opened. */
    @Override
    public Arrival arrival(HttpHead head) {
        Optional<Opened> opened = seal.open(head);
        if (opened.isEmpty()) {
            return new Arrival(HopSeal.withoutSeal(head), now());
        }
        Service service =
                opened.filter(Opened::isFirst)
                        .flatMap(each -> roles.apply(each.election()))
                        .map(role -> role.of(opened.get().entrance(), ready))
                        .orElseGet(() -> new Service(REFUSED, ready, watch));
        return new Arrival(opened.get().head(), service);
    }

    private static S3Response deny(HttpHead head, RequestBody body) {
        return ErrorReply.of(
                new S3Exception(
                        S3Error.ACCESS_DENIED,
                        "This listener is for the other nodes of the cluster. Use the address"
                                + " of S3. From a node: compare cluster.secret-file and the"
                                + " clocks of both."),
                head);
    }
}
