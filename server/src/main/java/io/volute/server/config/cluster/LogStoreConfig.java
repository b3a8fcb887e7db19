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

        public static final Key.Section SECTION = new Key.Section("bookkeeper");

        static final Key<Kind> STORE =
                SECTION.oneOf(
                        "log.store",
                        Kind.LOCAL,
                        "Place of the segments of a cube that never"
                                + " [moved](../guide/bookkeeper.md"
                                + "#move-a-log-to-bookkeeper-and-back):"
                                + " `local` is the data directory, `bookkeeper` is"
                                + " [ledgers](../guide/bookkeeper.md).",
                        "Before the first start of a cube only.");

        static final Key<List<String>> CUBES =
                SECTION.add(
                        "log.bookkeeper.cubes",
                        "",
                        ValueType.list("names of cubes separated by commas", "[a-z0-9-]{1,63}"),
                        "Names of the cubes with ledgers. Without it, all cubes.",
                        "To keep some cubes local.");

        static final Key<String> ZOOKEEPER =
                SECTION.add(
                        "log.bookkeeper.zookeeper",
                        "127.0.0.1:2181",
                        ValueType.matching(
                                "HOST:PORT, several with commas between them",
                                "[A-Za-z0-9._-]+:[0-9]{1,5}(,[A-Za-z0-9._-]+:[0-9]{1,5})*"),
                        "Servers of ZooKeeper.",
                        "With ledgers.");

        static final Key<String> PATH =
                SECTION.add(
                        "log.bookkeeper.path",
                        "/volute",
                        ValueType.matching(
                                "a node of ZooKeeper, such as /volute",
                                "(/[A-Za-z0-9_-]{1,64}){1,8}"),
                        "Node in ZooKeeper below which are `cubes` and the `ledgers` of"
                                + " BookKeeper.",
                        "For several stores on one ZooKeeper.");

        static final Key<Duration> SESSION =
                SECTION.time(
                        "log.bookkeeper.session-timeout",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5),
                        "Time after which ZooKeeper gives up a server that does not answer.",
                        "Lower for a faster take-over.");

        static final Key<Optional<Path>> AUTHORITIES =
                SECTION.pem(
                        "log.bookkeeper.tls.ca",
                        "PEM file of the authorities of ZooKeeper and the bookies. It turns on"
                                + " [TLS](../guide/bookkeeper.md#tls) to both.",
                        "When the network is not private.");
        static final Key<Optional<Path>> CERTIFICATE =
                SECTION.pem(
                        "log.bookkeeper.tls.certificate",
                        "PEM file with the private key (PKCS#8, not encrypted) and the certificate"
                                + " chain of this server, for ZooKeeper and the bookies.",
                        "When they require one.");

        static final Key<Acl> ACL =
                SECTION.oneOf(
                        "log.bookkeeper.zookeeper-acl",
                        Acl.AUTO,
                        "Rights to new nodes in ZooKeeper. `creator`: only clients whose"
                                + " certificate has the same subject as this server's. `open`:"
                                + " every client. `auto`: `creator` with"
                                + " `log.bookkeeper.tls.certificate`, else `open`.",
                        "`open` for nodes with different subjects.");

        static final Key<Long> ENSEMBLE =
                SECTION.number(
                        "log.bookkeeper.ensemble",
                        3,
                        1,
                        15,
                        "Bookies of one ledger.",
                        "With more bookies, to spread a ledger.");
        static final Key<Long> WRITE_QUORUM =
                SECTION.number(
                        "log.bookkeeper.write-quorum",
                        3,
                        1,
                        15,
                        "Bookies that get each entry.",
                        "Rarely.");
        static final Key<Long> ACK_QUORUM =
                SECTION.number(
                        "log.bookkeeper.ack-quorum",
                        2,
                        1,
                        15,
                        "Bookies that have an entry on disk before a request is acknowledged.",
                        "Rarely.");

        static final Key<Long> MIRRORS =
                SECTION.size(
                        "log.bookkeeper.mirrors",
                        64L << 30,
                        64L << 20,
                        1L << 50,
                        "Greatest size of the local copies of sealed segments of one cube.",
                        "To the size of the local disk.");

        static final Key<Long> MIGRATION_RATE =
                SECTION.size(
                        "log.bookkeeper.migration-rate",
                        64L << 20,
                        1L << 20,
                        1L << 40,
                        "Greatest rate at which `volute cube migrate` copies sealed segments of one"
                                + " cube, bytes a second. It must be above the rate of new writes.",
                        "If a migration disturbs clients, or takes too long.");
    }
}
