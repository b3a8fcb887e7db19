package io.volute.server.config.cluster;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.server.config.key.ValueType;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

        static final Key<String> NAME =
                new Key<>(
                        "cluster.name",
                        "",
                        ValueType.matching(
                                "1 to 63 small letters, digits and -, or nothing",
                                "[a-z0-9-]{0,63}"));

        static final Key<Optional<InetSocketAddress>> ADDRESS =
                new Key<>("cluster.address", "", ValueType.addressOrNone());

        static final Key<Optional<Path>> SECRET =
                new Key<>(
                        "cluster.secret-file",
                        "",
                        ValueType.pathOrNone("the path of a file, or nothing"));

        static final Key<Optional<Path>> CERTIFICATE = pem("cluster.tls.certificate");
        static final Key<Optional<Path>> KEY = pem("cluster.tls.key");
        static final Key<Optional<Path>> AUTHORITIES = pem("cluster.tls.ca");

        static final Key<Duration> PATIENCE =
                new Key<>(
                        "cluster.wait",
                        "30s",
                        ValueType.duration(Duration.ZERO, Duration.ofMinutes(5)));

        static final Key<Duration> LEASE =
                new Key<>(
                        "cluster.lease",
                        "1500ms",
                        ValueType.duration(Duration.ofMillis(500), Duration.ofMinutes(1)));

        static final Key<Duration> STANDBY_LAG =
                new Key<>(
                        "cluster.standby-lag",
                        "10s",
                        ValueType.duration(Duration.ZERO, Duration.ofHours(1)));

        static final Key<Distribution> CUBES =
                new Key<>("cluster.cubes", "together", ValueType.oneOf(Distribution.class));

        public static final List<Key<?>> ALL =
                List.of(
                        NAME,
                        ADDRESS,
                        SECRET,
                        PATIENCE,
                        LEASE,
                        STANDBY_LAG,
                        CUBES,
                        CERTIFICATE,
                        KEY,
                        AUTHORITIES);

        private static Key<Optional<Path>> pem(String name) {
            return new Key<>(name, "", ValueType.pathOrNone("the path of a PEM file"));
        }
    }
}
