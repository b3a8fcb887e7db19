package io.volute.server.config.cluster;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.server.config.key.ValueType;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The membership of a server in a cluster.
 *
 * @param name of this node
 * @param address of the listener for other nodes
 * @param secretFile file with the secret that all nodes share
 * @param tls files for mutual TLS between nodes; empty without TLS
 * @param patience time that a request waits for a node that takes the store over
 * @param lease for which the owner may answer after each renewal
 * @param standbyLag lag up to which a standby answers reads that accept one
 * @param cubes on which nodes the cubes are
 */
public record ClusterConfig(
        String name,
        InetSocketAddress address,
        Path secretFile,
        Optional<TlsFiles> tls,
        Duration patience,
        Duration lease,
        Duration standbyLag,
        Distribution cubes) {

    /** The distribution of cubes over the nodes. */
    public enum Distribution {
        /** All cubes are where the store is, except those that the operator has moved. */
        TOGETHER,
        /** Cubes move by themselves, until all nodes have about as many. */
        SPREAD
    }

    /** Reads the settings; empty without a cluster, or if one is wrong. */
    public static Optional<ClusterConfig> of(KeyValues from, LogStoreConfig logs) {
        String name = from.get(ClusterKeys.NAME);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Optional<InetSocketAddress> address = from.get(ClusterKeys.ADDRESS);
        Optional<Path> secret = from.get(ClusterKeys.SECRET);
        if (logs.kind() != LogStoreConfig.Kind.BOOKKEEPER || !logs.cubes().isEmpty()) {
            from.problem(
                    "cluster.name needs log.store = bookkeeper for all cubes: another node cannot"
                            + " take over data on this machine's disk");
        }
        if (address.isEmpty() || secret.isEmpty()) {
            from.problem(
                    "cluster.name needs cluster.address, where other nodes reach this one, and"
                            + " cluster.secret-file");
            return Optional.empty();
        }
        InetAddress host = address.get().getAddress();
        if (host != null && host.isAnyLocalAddress() || address.get().getPort() == 0) {
            from.problem(
                    "cluster.address is the address that other nodes connect to: write a host"
                            + " name or an address of this machine, and a port");
        }
        return Optional.of(
                new ClusterConfig(
                        name,
                        address.get(),
                        secret.get().toAbsolutePath(),
                        tls(from),
                        from.get(ClusterKeys.PATIENCE),
                        from.get(ClusterKeys.LEASE),
                        from.get(ClusterKeys.STANDBY_LAG),
                        from.get(ClusterKeys.CUBES)));
    }

    private static Optional<TlsFiles> tls(KeyValues from) {
        Optional<Path> certificate = from.get(ClusterKeys.CERTIFICATE);
        Optional<Path> key = from.get(ClusterKeys.KEY);
        Optional<Path> authorities = from.get(ClusterKeys.AUTHORITIES);
        if (certificate.isEmpty() && key.isEmpty() && authorities.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty() || authorities.isEmpty()) {
            from.problem(
                    "cluster.tls.certificate, cluster.tls.key and cluster.tls.ca belong together:"
                            + " write all of them, or none for no TLS between nodes");
            return Optional.empty();
        }
        return Optional.of(
                new TlsFiles(
                        "cluster.tls",
                        certificate.get().toAbsolutePath(),
                        key.get().toAbsolutePath(),
                        authorities.map(Path::toAbsolutePath)));
    }

    /** The keys of the membership in a cluster. */
    public static final class ClusterKeys {
        private ClusterKeys() {}

        public static final Key.Section SECTION = new Key.Section("cluster");

        static final Key<String> NAME =
                SECTION.add(
                        "cluster.name",
                        "",
                        ValueType.matching(
                                "1 to 63 small letters, digits and -, or nothing",
                                "[a-z0-9-]{0,63}"),
                        "Name of this node. It makes the server a node of a"
                                + " [cluster](../guide/cluster.md).",
                        "On each node, another one.");

        static final Key<Optional<InetSocketAddress>> ADDRESS =
                SECTION.add(
                        "cluster.address",
                        "",
                        ValueType.addressOrNone(),
                        "`HOST:PORT` of the listener for other nodes.",
                        "On each node.");

        static final Key<Optional<Path>> SECRET =
                SECTION.file(
                        "cluster.secret-file",
                        "File with the secret of the cluster, at least 16 characters, readable by"
                                + " the owner alone.",
                        "On each node, the same content.");

        static final Key<Optional<Path>> CERTIFICATE =
                SECTION.pem(
                        "cluster.tls.certificate",
                        "PEM file of this node's certificate chain, for servers and clients. With"
                                + " `cluster.tls.key` and `cluster.tls.ca` it turns on [TLS between"
                                + " nodes](../guide/cluster.md#tls-between-nodes).",
                        "When the network is not private.");
        static final Key<Optional<Path>> KEY =
                SECTION.pem(
                        "cluster.tls.key",
                        "PEM file of this node's private key, PKCS#8, not encrypted.",
                        "With the certificate.");
        static final Key<Optional<Path>> AUTHORITIES =
                SECTION.pem(
                        "cluster.tls.ca",
                        "PEM file of the authority of all nodes. Other certificates are refused.",
                        "With the certificate.");

        static final Key<Duration> PATIENCE =
                SECTION.time(
                        "cluster.wait",
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        Duration.ofMinutes(5),
                        "Time for which a request waits for a node that takes the store over.",
                        "Below the time limit of clients.");

        static final Key<Duration> LEASE =
                SECTION.time(
                        "cluster.lease",
                        Duration.ofMillis(1500),
                        Duration.ofMillis(500),
                        Duration.ofMinutes(1),
                        "Time for which the owner of the store or of a cube may answer after each"
                                + " renewal in ZooKeeper, at most half of a session. It is renewed"
                                + " four times in that time.",
                        "Longer when writes of ZooKeeper take so long that requests wait"
                                + " ([`volute_cluster_lease_*`](metrics.md#cluster)), shorter for a"
                                + " faster take-over.");

        static final Key<Duration> STANDBY_LAG =
                SECTION.time(
                        "cluster.standby-lag",
                        Duration.ofSeconds(10),
                        Duration.ZERO,
                        Duration.ofHours(1),
                        "Lag up to which this node answers [reads that accept a"
                                + " standby](../guide/cluster.md#read-from-a-standby); others are"
                                + " forwarded. A removed key or policy counts for so long.",
                        "Lower for stricter rights, higher to read while the owner is lost.");

        static final Key<Distribution> CUBES =
                SECTION.oneOf(
                        "cluster.cubes",
                        Distribution.TOGETHER,
                        "Nodes of the cubes. `together`: the node of the store, except for [cubes"
                                + " that you"
                                + " move](../guide/cluster.md#give-cubes-to-several-nodes);"
                                + " `spread`: about equally many on each node.",
                        "On each node, the same, to use the machines of all nodes.");
    }
}
