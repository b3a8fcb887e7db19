package io.volute.system.bookkeeper;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.s3.S3Client;

/** Volute nodes as child processes, with one store on bookies. */
final class ClusterNodes implements AutoCloseable {
    private static final Duration TAKE_OVER_LIMIT = Duration.ofSeconds(90);
    private static final Duration STANDBY_LIMIT = Duration.ofMinutes(2);

    static final String SECRET = "a-secret-that-all-nodes-share";

    private final TemporaryStore directory;
    private final String zooKeeper;
    private final IntFunction<Map<String, String>> more;
    private final List<ServerProcess> nodes = new ArrayList<>();

    ClusterNodes(
            TemporaryStore directory, String zooKeeper, IntFunction<Map<String, String>> more) {
        this.directory = directory;
        this.zooKeeper = zooKeeper;
        this.more = more;
    }

    /** Starts a first node, then others with copies of its keys. The first one has the store. */
    static ClusterNodes start(TemporaryStore directory, String zooKeeper, int count)
            throws IOException {
        return start(directory, zooKeeper, count, node -> Map.of());
    }

    /** Starts nodes with more settings for each, as variables of the environment. */
    static ClusterNodes start(
            TemporaryStore directory,
            String zooKeeper,
            int count,
            IntFunction<Map<String, String>> more)
            throws IOException {
        ClusterNodes cluster = new ClusterNodes(directory, zooKeeper, more);
        boolean started = false;
        try {
            for (int i = 0; i < count; i++) {
                if (i > 0) {
                    cluster.copyKeys(i);
                }
                cluster.nodes.add(ServerProcess.start(cluster.options(i, SECRET)));
            }
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    Path data(int number) {
        return directory.path().resolve("node" + number);
    }

    /** Copies the keys of the first node, as an operator does. */
    void copyKeys(int number) throws IOException {
        Path from = data(0).resolve("keys");
        Path to = Files.createDirectories(data(number)).resolve("keys");
        Files.createDirectory(
                to,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Returns the options of a node with its own address, and with the name of its number. */
    ServerProcess.Options options(int number, String secret) throws IOException {
        Files.createDirectories(directory.path());
        Path file = directory.path().resolve("secret" + number);
        Files.writeString(file, secret);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> environment = new HashMap<>();
        environment.put("VOLUTE_LOG_STORE", "bookkeeper");
        environment.put("VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER", zooKeeper);
        environment.put("VOLUTE_LOG_BOOKKEEPER_SESSION_TIMEOUT", "4s");
        environment.put("VOLUTE_CLUSTER_NAME", "node" + number);
        environment.put("VOLUTE_CLUSTER_ADDRESS", "127.0.0.1:" + ServerProcess.freePort());
        environment.put("VOLUTE_CLUSTER_SECRET_FILE", file.toString());
        environment.put("VOLUTE_CLUSTER_WAIT", "60s");
        environment.put("VOLUTE_METRICS_LISTEN", "127.0.0.1:" + ServerProcess.freePort());
        environment.putAll(more.apply(number));
        return ServerProcess.Options.of(data(number)).withEnvironment(environment);
    }

    ServerProcess node(int number) {
        return nodes.get(number);
    }

    /** Returns the address of a node's listener for other nodes. */
    String hopAddress(int number) {
        return nodes.get(number).options().environment().get("VOLUTE_CLUSTER_ADDRESS");
    }

    /** Returns the output of all nodes. */
    String logs() {
        return nodes.stream()
                .map(each -> each.options().data() + ":\n" + each.log())
                .collect(Collectors.joining("\n"));
    }

    /** Waits until a node has the store; returns its number. */
    int owner() {
        return ownerBesides(-1);
    }

    /** Waits until a node other than this one has the store; returns its number. */
    int ownerBesides(int number) {
        long limit = System.nanoTime() + TAKE_OVER_LIMIT.toNanos();
        while (true) {
            for (int i = 0; i < nodes.size(); i++) {
                if (i != number && hasStore(nodes.get(i))) {
                    return i;
                }
            }
            if (System.nanoTime() - limit > 0) {
                throw new AssertionError("no node takes the store over");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    /** Decides by the last line about it in the log of the node. */
    private static boolean hasStore(ServerProcess node) {
        String log = node.log();
        int taken = log.lastIndexOf("this node has the store");
        return taken >= 0 && node.isAlive() && log.indexOf("closed the store", taken) < 0;
    }

    /** Waits until every other node has a standby that follows the owner of the store. */
    void awaitStandbys() {
        int owner = owner();
        long limit = System.nanoTime() + STANDBY_LIMIT.toNanos();
        for (int i = 0; i < nodes.size(); i++) {
            while (i != owner && nodes.get(i).isAlive() && !follows(nodes.get(i).log())) {
                if (System.nanoTime() - limit > 0) {
                    throw new IllegalStateException("no standby on node" + i + ":\n" + logs());
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    /** Waits until every node runs its server. */
    void awaitServers() {
        int owner = owner();
        long limit = System.nanoTime() + STANDBY_LIMIT.toNanos();
        for (int i = 0; i < nodes.size(); i++) {
            while (i != owner && nodes.get(i).isAlive() && !runsServer(nodes.get(i).log())) {
                if (System.nanoTime() - limit > 0) {
                    throw new IllegalStateException("no start on node" + i + ":\n" + logs());
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    private static boolean runsServer(String log) {
        return log.contains("the server of this node runs")
                || log.contains("this node has the store");
    }

    private static boolean follows(String log) {
        return log.lastIndexOf("follows its owner") > log.lastIndexOf("closed the store");
    }

    /** Starts a node again that has ended. */
    void restart(int number) {
        nodes.set(number, ServerProcess.start(nodes.get(number).options()));
    }

    /** Returns a client of one node with the retries of every user of the SDK. */
    S3Client client(int number) {
        return Clients.sync(nodes.get(number).endpoint());
    }

    @Override
    public void close() {
        nodes.forEach(ServerProcess::close);
    }
}
