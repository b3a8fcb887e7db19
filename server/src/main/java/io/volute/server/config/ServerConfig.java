package io.volute.server.config;

import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpSettings;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreOptions.HistorySettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a server, checked.
 *
 * @param dataDirectory absolute
 * @param logStore place of the logs of the cubes
 * @param cluster the other nodes with this store; empty when there are none
 * @param placement of new buckets among the cubes
 * @param lifecycleDay length of the days that lifecycle rules count
 * @param tracing empty when nothing is traced
 * @param oidc the provider whose tokens STS accepts; empty when there is none
 * @param shutdown how long a stop waits for requests in flight
 * @param adminAddress where alone the admin API is; empty when it is where S3 is
 * @param users besides the root
 */
public record ServerConfig(
        Path dataDirectory,
        HttpSettings http,
        Protocol protocol,
        LogSettings log,
        LogStore logStore,
        Optional<Cluster> cluster,
        MemorySettings memory,
        Placement placement,
        HistorySettings history,
        HistoryRoom historyRoom,
        ProvenanceConfig provenance,
        ScrubConfig scrub,
        Duration lifecycleDay,
        MetricsListener metrics,
        AccessLogConfig accessLog,
        AuditLogConfig auditLog,
        Optional<TracingConfig> tracing,
        Optional<OidcConfig> oidc,
        BackupConfig backup,
        NotificationConfig notifications,
        ReplicationConfig replication,
        Duration shutdown,
        Optional<InetSocketAddress> adminAddress,
        List<Credential> users) {
    public ServerConfig {
        users = List.copyOf(users);
    }

    /**
     * The repeated check of everything that is stored.
     *
     * @param interval from the beginning of one pass to that of the next; zero: never
     * @param rateMax bytes a second that a pass reads at most
     */
    public record ScrubConfig(Duration interval, long rateMax) {}

    /**
     * The settings of the S3 protocol.
     *
     * @param domains host names under which {@code bucket.domain} names a bucket
     * @param signatureV2 requests that may have a signature of version 2
     * @param ownership of the objects of new buckets
     * @param encryptionKeys named keys for SSE-KMS that everybody may use unless a policy denies it
     * @param restrictedKeys named keys that only callers whose policies allow it may use
     * @param vault the service that has the named keys; empty if the keyring has them
     * @param customerKeysOverHttp whether clients may send keys of SSE-C over an open connection
     * @param unsignedPayloadOverHttp without TLS, a signed request may leave its body unsigned
     * @param bucketsOfUserMax buckets of one owner beyond which only the root makes more
     */
    public record Protocol(
            String region,
            List<String> domains,
            SignatureV2Use signatureV2,
            ObjectOwnership ownership,
            List<String> encryptionKeys,
            List<String> restrictedKeys,
            Optional<VaultConfig> vault,
            boolean customerKeysOverHttp,
            boolean unsignedPayloadOverHttp,
            int bucketsOfUserMax) {
        public Protocol {
            domains = List.copyOf(domains);
            encryptionKeys = List.copyOf(encryptionKeys);
            restrictedKeys = List.copyOf(restrictedKeys);
        }
    }

    /**
     * The settings of the metrics endpoint.
     *
     * @param listen address of the listener for metrics alone; empty disables metrics
     * @param tokenFile file with the token that requests must carry; empty when none is required
     */
    public record MetricsListener(Optional<InetSocketAddress> listen, Optional<Path> tokenFile) {}

    /**
     * The place of the logs of the cubes.
     *
     * @param cubes names of the cubes with logs on BookKeeper; empty for all cubes
     * @param zooKeeper servers, as HOST:PORT with commas between them
     * @param path node in ZooKeeper below which the cubes and the ledgers are
     * @param session time after which ZooKeeper gives up a server that does not answer
     * @param copies bookies that get each entry
     * @param mirrorBytes bytes of local mirrors of one cube
     */
    public record LogStore(
            Kind kind,
            List<String> cubes,
            String zooKeeper,
            String path,
            Duration session,
            Copies copies,
            long mirrorBytes) {
        public LogStore {
            cubes = List.copyOf(cubes);
        }

        /** The kinds of places. */
        public enum Kind {
            /** Files of the data directory. */
            LOCAL,
            /** Ledgers of Apache BookKeeper. */
            BOOKKEEPER
        }

        /** The bookies of a ledger, of an entry, and of an acknowledgement. */
        public record Copies(int ensemble, int write, int ack) {}

        /** Returns whether a cube has its log on BookKeeper. */
        public boolean isOnBookKeeper(String cube) {
            return kind == Kind.BOOKKEEPER && (cubes.isEmpty() || cubes.contains(cube));
        }

        static LogStore of(ConfigSource from) {
            Copies copies =
                    new Copies(
                            from.get(LogStoreKeys.ENSEMBLE).intValue(),
                            from.get(LogStoreKeys.WRITE_QUORUM).intValue(),
                            from.get(LogStoreKeys.ACK_QUORUM).intValue());
            if (copies.ensemble() < copies.write() || copies.write() < copies.ack()) {
                from.problem(
                        "log.bookkeeper.ensemble must be at least log.bookkeeper.write-quorum, and"
                                + " that at least log.bookkeeper.ack-quorum");
            }
            return new LogStore(
                    from.get(LogStoreKeys.STORE),
                    from.get(LogStoreKeys.CUBES),
                    from.get(LogStoreKeys.ZOOKEEPER),
                    from.get(LogStoreKeys.PATH),
                    from.get(LogStoreKeys.SESSION),
                    copies,
                    from.get(LogStoreKeys.MIRRORS));
        }

        /** The keys of the place of the logs. */
        static final class LogStoreKeys {
            private LogStoreKeys() {}

            static final Key<Kind> STORE =
                    new Key<>("log.store", "local", ValueType.oneOf(Kind.class));

            static final Key<List<String>> CUBES =
                    new Key<>(
                            "log.bookkeeper.cubes",
                            "",
                            ValueType.list(
                                    "names of cubes separated by commas", "[a-z0-9-]{1,63}"));

            static final Key<String> ZOOKEEPER =
                    new Key<>(
                            "log.bookkeeper.zookeeper",
                            "127.0.0.1:2181",
                            ValueType.matching(
                                    "HOST:PORT, several with commas between them",
                                    "[A-Za-z0-9._-]+:[0-9]{1,5}(,[A-Za-z0-9._-]+:[0-9]{1,5})*"));

            static final Key<String> PATH =
                    new Key<>(
                            "log.bookkeeper.path",
                            "/volute",
                            ValueType.matching(
                                    "a node of ZooKeeper, such as /volute",
                                    "(/[A-Za-z0-9_-]{1,64}){1,8}"));

            static final Key<Duration> SESSION =
                    new Key<>(
                            "log.bookkeeper.session-timeout",
                            "10s",
                            ValueType.duration(Duration.ofSeconds(1), Duration.ofMinutes(5)));

            static final Key<Long> ENSEMBLE = bookies("ensemble", 3);
            static final Key<Long> WRITE_QUORUM = bookies("write-quorum", 3);
            static final Key<Long> ACK_QUORUM = bookies("ack-quorum", 2);

            static final Key<Long> MIRRORS =
                    new Key<>(
                            "log.bookkeeper.mirrors",
                            "64 GiB",
                            ValueType.size(64L << 20, 1L << 50, 1));

            static final List<Key<?>> ALL =
                    List.of(
                            STORE,
                            CUBES,
                            ZOOKEEPER,
                            PATH,
                            SESSION,
                            ENSEMBLE,
                            WRITE_QUORUM,
                            ACK_QUORUM,
                            MIRRORS);

            private static Key<Long> bookies(String name, int count) {
                return new Key<>(
                        "log.bookkeeper." + name, Integer.toString(count), ValueType.number(1, 15));
            }
        }
    }

    /** Returns the keys of the place of the logs and of the cluster. */
    static List<Key<?>> keys() {
        List<Key<?>> keys = new ArrayList<>(LogStore.LogStoreKeys.ALL);
        keys.addAll(Cluster.ClusterKeys.ALL);
        return keys;
    }

    /** Returns the same settings with other listeners. */
    public ServerConfig listening(
            HttpSettings other, Optional<InetSocketAddress> admin, MetricsListener figures) {
        return new ServerConfig(
                dataDirectory,
                other,
                protocol,
                log,
                logStore,
                cluster,
                memory,
                placement,
                history,
                historyRoom,
                provenance,
                scrub,
                lifecycleDay,
                figures,
                accessLog,
                auditLog,
                tracing,
                oidc,
                backup,
                notifications,
                replication,
                shutdown,
                admin,
                users);
    }

    /**
     * The membership of a server in a cluster.
     *
     * @param name of this node
     * @param address of the listener for other nodes
     * @param secretFile file with the secret that all nodes share
     * @param patience time that a request waits for a node that takes the store over
     */
    public record Cluster(
            String name, InetSocketAddress address, Path secretFile, Duration patience) {

        static Optional<Cluster> of(ConfigSource from, LogStore logs) {
            String name = from.get(ClusterKeys.NAME);
            if (name.isEmpty()) {
                return Optional.empty();
            }
            Optional<InetSocketAddress> address = from.get(ClusterKeys.ADDRESS);
            Optional<Path> secret = from.get(ClusterKeys.SECRET);
            if (logs.kind() != LogStore.Kind.BOOKKEEPER || !logs.cubes().isEmpty()) {
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
                    new Cluster(
                            name,
                            address.get(),
                            secret.get().toAbsolutePath(),
                            from.get(ClusterKeys.PATIENCE)));
        }

        /** The keys of the membership in a cluster. */
        static final class ClusterKeys {
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

            static final List<Key<?>> ALL = List.of(NAME, ADDRESS, SECRET, PATIENCE);
        }
    }
}
