package io.volute.server.cluster.hop;

import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.watch.RequestWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The listener of a node for other nodes, as tests start it. */
public final class HopListener {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private HopListener() {}

    /**
     * Starts it on a free port.
     *
     * @param roles the handlers by the elections of the roles that the node has
     */
    public static HttpServer start(
            HopSeal seal, Map<Long, Handlers> roles, InstantSource clock, RandomGenerator random)
            throws IOException {
        HopGate gate =
                new HopGate(
                        seal,
                        Readiness.ALWAYS,
                        RequestWatch.NONE,
                        election -> Optional.ofNullable(roles.get(election)));
        HttpSettings settings =
                HopGate.listener(
                        HttpSettings.plain(ANY),
                        new ClusterConfig(
                                "n1",
                                ANY,
                                Path.of("secret"),
                                Optional.empty(),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ZERO,
                                ClusterConfig.Distribution.TOGETHER));
        return HttpServer.start(settings, gate, clock, random);
    }
}
