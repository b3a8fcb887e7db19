package io.volute.server.config.cluster;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.server.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The place of the logs of the cubes.
 *
 * @param cubes names of the cubes with logs on BookKeeper; empty for all cubes
 * @param zooKeeper servers, as HOST:PORT with commas between them
 * @param path node in ZooKeeper below which the cubes and the ledgers are
 * @param session time after which ZooKeeper gives up a server that does not answer
 * @param security of connections to ZooKeeper and bookies
 * @param copies bookies that get each entry
 * @param mirrorBytes bytes of local mirrors of one cube
 * @param migrationRate greatest rate of a migration in bytes a second
 */
public record LogStoreConfig(
        Kind kind,
        List<String> cubes,
        String zooKeeper,
        String path,
        Duration session,
        Security security,
        Copies copies,
        long mirrorBytes,
        long migrationRate) {
    public LogStoreConfig {
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

    /**
     * The security of connections to ZooKeeper and bookies.
     *
     * @param authorities PEM file of the authorities of servers; empty without TLS
     * @param certificate PEM file with this server's private key and certificate chain; empty if it
     *     has none
     * @param acl rights to new nodes in ZooKeeper; not AUTO
     */
    public record Security(Optional<Path> authorities, Optional<Path> certificate, Acl acl) {}

    /** Rights to nodes in ZooKeeper. */
    public enum Acl {
        /** {@link #CREATOR} with a certificate, else {@link #OPEN}. */
        AUTO,
        /** Everybody who reaches ZooKeeper has all rights. */
        OPEN,
        /** Clients with the subject of this server's certificate have all rights, others none. */
        CREATOR
    }

    /** Returns whether a cube has its log on BookKeeper. */
    public boolean isOnBookKeeper(String cube) {
        return kind == Kind.BOOKKEEPER && (cubes.isEmpty() || cubes.contains(cube));
    }

    /** Reads the settings. */
    public static LogStoreConfig of(KeyValues from) {
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
        return new LogStoreConfig(
                from.get(LogStoreKeys.STORE),
                from.get(LogStoreKeys.CUBES),
                from.get(LogStoreKeys.ZOOKEEPER),
                from.get(LogStoreKeys.PATH),
                from.get(LogStoreKeys.SESSION),
                security(from),
                copies,
                from.get(LogStoreKeys.MIRRORS),
                from.get(LogStoreKeys.MIGRATION_RATE));
    }

    private static Security security(KeyValues from) {
        Optional<Path> authorities = from.get(LogStoreKeys.AUTHORITIES);
        Optional<Path> certificate = from.get(LogStoreKeys.CERTIFICATE);
        Acl usual = certificate.isPresent() ? Acl.CREATOR : Acl.OPEN;
        Acl set = from.get(LogStoreKeys.ACL);
        Acl acl = set == Acl.AUTO ? usual : set;
        if (authorities.isEmpty() && certificate.isPresent()) {
            from.problem(
                    "log.bookkeeper.tls.certificate needs log.bookkeeper.tls.ca: write the file"
                            + " with the authorities of ZooKeeper and the bookies");
        }
        if (acl == Acl.CREATOR && certificate.isEmpty()) {
            from.problem(
                    "log.bookkeeper.zookeeper-acl = creator needs log.bookkeeper.tls.certificate:"
                            + " ZooKeeper knows the creator of a node by the certificate");
        }
        return new Security(
                authorities.map(Path::toAbsolutePath), certificate.map(Path::toAbsolutePath), acl);
    }

    /** The keys of the place of the logs. */
    public static final class LogStoreKeys {
        private LogStoreKeys() {}

        static final Key<Kind> STORE = new Key<>("log.store", "local", ValueType.oneOf(Kind.class));

        static final Key<List<String>> CUBES =
                new Key<>(
                        "log.bookkeeper.cubes",
                        "",
                        ValueType.list("names of cubes separated by commas", "[a-z0-9-]{1,63}"));

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

        static final Key<Optional<Path>> AUTHORITIES = pem("log.bookkeeper.tls.ca");
        static final Key<Optional<Path>> CERTIFICATE = pem("log.bookkeeper.tls.certificate");

        static final Key<Acl> ACL =
                new Key<>("log.bookkeeper.zookeeper-acl", "auto", ValueType.oneOf(Acl.class));

        static final Key<Long> ENSEMBLE = bookies("ensemble", 3);
        static final Key<Long> WRITE_QUORUM = bookies("write-quorum", 3);
        static final Key<Long> ACK_QUORUM = bookies("ack-quorum", 2);

        static final Key<Long> MIRRORS =
                new Key<>(
                        "log.bookkeeper.mirrors", "64 GiB", ValueType.size(64L << 20, 1L << 50, 1));

        static final Key<Long> MIGRATION_RATE =
                new Key<>(
                        "log.bookkeeper.migration-rate",
                        "64 MiB",
                        ValueType.size(1L << 20, 1L << 40, 1));

        public static final List<Key<?>> ALL =
                List.of(
                        STORE,
                        CUBES,
                        ZOOKEEPER,
                        PATH,
                        SESSION,
                        AUTHORITIES,
                        CERTIFICATE,
                        ACL,
                        ENSEMBLE,
                        WRITE_QUORUM,
                        ACK_QUORUM,
                        MIRRORS,
                        MIGRATION_RATE);

        private static Key<Optional<Path>> pem(String name) {
            return new Key<>(name, "", ValueType.pathOrNone("the path of a PEM file"));
        }

        private static Key<Long> bookies(String name, int count) {
            return new Key<>(
                    "log.bookkeeper." + name, Integer.toString(count), ValueType.number(1, 15));
        }
    }
}
