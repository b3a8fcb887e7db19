package io.volute.server.config.cluster;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.server.config.key.ValueType;
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
 * @param patience time that a request waits for a node that takes the store over
 */
public record ClusterConfig(
        String name, InetSocketAddress address, Path secretFile, Duration patience) {

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
                    "cluster.name needs log.store = bookkeeper for all cubes: another node"
                            + " cannot take over what is on this machine's disk");
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
                        from.get(ClusterKeys.PATIENCE)));
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

        static final Key<Duration> PATIENCE =
                new Key<>(
                        "cluster.wait",
                        "30s",
                        ValueType.duration(Duration.ZERO, Duration.ofMinutes(5)));

        public static final List<Key<?>> ALL = List.of(NAME, ADDRESS, SECRET, PATIENCE);
    }
}
