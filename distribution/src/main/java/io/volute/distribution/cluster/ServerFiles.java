package io.volute.distribution.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The files of a cluster on this machine: configurations, keys, data and logs. */
record ServerFiles(Path directory, ClusterPorts ports) {
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");
    private static final int SECRET_BYTES = 32;

    Path log(String process) {
        return directory.resolve("logs").resolve(process + ".log");
    }

    Path node(int number) {
        return directory.resolve("node" + (number + 1));
    }

    Path secret() {
        return directory.resolve("cluster.secret");
    }

    /** Exists once BookKeeper's metadata are in ZooKeeper. */
    Path formatted() {
        return directory.resolve("bookkeeper.formatted");
    }

    Path zooKeeperConfig() {
        return directory.resolve("zookeeper.cfg");
    }

    Path bookieConfig(int number) {
        return directory.resolve("bookie" + (number + 1) + ".conf");
    }

    Path nodeConfig(int number) {
        return directory.resolve("node" + (number + 1) + ".conf");
    }

    /**
     * Writes the configurations, and makes a secret if there is none.
     *
     * @param session time after which a lost owner is replaced
     */
    void write(Duration session, RandomGenerator random) throws IOException {
        Files.createDirectories(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectories(directory.resolve("logs"));
        if (!Files.exists(secret())) {
            byte[] bytes = new byte[SECRET_BYTES];
            random.nextBytes(bytes);
            Files.createFile(secret(), PosixFilePermissions.asFileAttribute(PRIVATE));
            Files.writeString(secret(), HexFormat.of().formatHex(bytes) + "\n");
        }
        Files.writeString(
                zooKeeperConfig(),
                String.format(
                        Locale.ROOT,
                        """
                tickTime=500
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                admin.enableServer=false
                maxClientCnxns=0
                minSessionTimeout=1000
                """,
                        directory.resolve("zookeeper"),
                        ports.zooKeeper()));
        for (int i = 0; i < ClusterPorts.BOOKIES; i++) {
            Path data = directory.resolve("bookie" + (i + 1));
            Files.createDirectories(data);
            Files.writeString(
                    bookieConfig(i), BookieConfig.text(ports.bookie(i), ports.zooKeeper(), data));
        }
        for (int i = 0; i < ClusterPorts.NODES; i++) {
            Files.writeString(nodeConfig(i), nodeConfig(i, session));
        }
    }

    private String nodeConfig(int number, Duration session) {
        return String.format(
                Locale.ROOT,
                """
                data.directory = "%s"
                server.listen = "127.0.0.1:%d"
                log.store = bookkeeper
                log.bookkeeper.zookeeper = "127.0.0.1:%d"
                log.bookkeeper.session-timeout = %dms
                cluster.name = node%d
                cluster.address = "127.0.0.1:%d"
                cluster.secret-file = "%s"
                metrics.listen = "127.0.0.1:%d"
                """,
                node(number),
                ports.s3(number),
                ports.zooKeeper(),
                session.toMillis(),
                number + 1,
                ports.hops(number),
                secret(),
                ports.metrics(number));
    }

    /** Copies the keys of the first node to another one, unless it has some. */
    void copyKeys(int node) throws IOException {
        Path to = node(node).resolve("keys");
        if (Files.exists(to)) {
            return;
        }
        Files.createDirectories(
                to,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (Stream<Path> files = Files.list(node(0).resolve("keys"))) {
            for (Path file : List.copyOf(files.toList())) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
