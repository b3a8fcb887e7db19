package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A server whose log is on bookies: take-over by another machine, a dead bookie, bad settings. */
class BookKeeperIT {
    private static final String BUCKET = "ledgers";
    private static final Duration LINE_LIMIT = Duration.ofSeconds(60);
    private static final Duration LINE_POLL = Duration.ofMillis(20);

    private final Map<String, byte[]> acknowledged = new TreeMap<>();

    private static Map<String, String> settings(String zooKeeper) {
        return Map.of(
                "VOLUTE_LOG_STORE", "bookkeeper",
                "VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER", zooKeeper,
                "VOLUTE_LOG_BOOKKEEPER_SESSION_TIMEOUT", "4s");
    }

    private static ServerProcess.Options on(TemporaryStore directory, String zooKeeper) {
        return ServerProcess.Options.of(directory.data()).withEnvironment(settings(zooKeeper));
    }

    private void put(S3Client s3, String key, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(key.hashCode()).nextBytes(content);
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
        acknowledged.put(key, content);
    }

    private void requireAll(S3Client s3) {
        acknowledged.forEach(
                (key, content) ->
                        assertThat(
                                        s3.getObjectAsBytes(
                                                        request -> request.bucket(BUCKET).key(key))
                                                .asByteArray())
                                .as(key)
                                .isEqualTo(content));
    }

    /** Copies the secrets and the mark of a store, as an operator does for a second machine. */
    private static void copyWithoutCubes(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path relative = from.relativize(file);
                if (!relative.startsWith("cubes") && !relative.startsWith("LOCK")) {
                    Path target = to.resolve(relative.toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(target);
                    } else {
                        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                    }
                }
            }
        }
    }

    @Test
    void anotherMachineTakesOverAndABookieDies() throws Exception {
        BookieCluster cluster = BookieCluster.shared();
        try (TemporaryStore first = TemporaryStore.create("first");
                TemporaryStore second = TemporaryStore.create("second")) {
            try (ServerProcess server = ServerProcess.start(on(first, cluster.zooKeeper()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                new Store(server.endpoint(), s3).create(BUCKET);
                for (int i = 0; i < 40; i++) {
                    put(s3, "small-" + i, 4096);
                }
                put(s3, "large-1", 3_000_000);
                put(s3, "large-2", 9_000_000);
                requireAll(s3);
                refusesASecondServer(first, second, cluster);
                server.kill();
            }
            try (ServerProcess server = ServerProcess.start(on(second, cluster.zooKeeper()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                requireAll(s3);
                cluster.killBookie(0);
                for (int i = 0; i < 20; i++) {
                    put(s3, "after-" + i, 4096);
                }
                put(s3, "large-3", 5_000_000);
                requireAll(s3);
                assertThat(server.stop()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(on(second, cluster.zooKeeper()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                requireAll(s3);
                put(s3, "last", 4096);
                requireAll(s3);
            }
        }
    }

    private static void refusesASecondServer(
            TemporaryStore first, TemporaryStore second, BookieCluster cluster) throws IOException {
        copyWithoutCubes(first.data(), second.data());
        assertThatThrownBy(() -> ServerProcess.start(on(second, cluster.zooKeeper())))
                .hasMessageContaining("the cube default is open on the server 127.0.0.1:")
                .hasMessageContaining("Stop that server");
    }

    @Test
    void writesGoOnOnceABookieReturns() throws Exception {
        BookieCluster cluster = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("returns");
                ServerProcess server = ServerProcess.start(on(directory, cluster.zooKeeper()));
                S3Client s3 = Clients.sync(server.endpoint())) {
            new Store(server.endpoint(), s3).create(BUCKET);
            put(s3, "before", 4096);
            cluster.killBookie(0);
            cluster.killBookie(1);
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> put(s3, "meanwhile", 4096));
            cluster.startBookie(1);
            waiting.join();
            put(s3, "small", 4096);
            put(s3, "large", 3_000_000);
            requireAll(s3);
            server.kill();
            try (ServerProcess again = ServerProcess.start(on(directory, cluster.zooKeeper()));
                    S3Client after = Clients.sync(again.endpoint())) {
                requireAll(after);
            }
        }
    }

    /** In the end, only the bookie that was away has the data. */
    @Test
    @Timeout(300)
    void segmentsGetThreeCopiesOnceABookieReturns() throws Exception {
        BookieCluster cluster = BookieCluster.shared();
        try (TemporaryStore first = TemporaryStore.create("two-copies");
                TemporaryStore second = TemporaryStore.create("three-copies")) {
            try (ServerProcess server = ServerProcess.start(on(first, cluster.zooKeeper()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                new Store(server.endpoint(), s3).create(BUCKET);
                put(s3, "before", 4096);
                cluster.killBookie(0);
                put(s3, "small", 4096);
                put(s3, "large", 3_000_000);
                while (!hasFewerCopies(server)) {
                    put(s3, "another", 4096);
                }
                put(s3, "large-2", 3_000_000);
                cluster.startBookie(0);
                cluster.superviseBookies();
                while (hasFewerCopies(server)) {
                    put(s3, "meanwhile", 4096);
                }
                requireAll(s3);
                copyWithoutCubes(first.data(), second.data());
                assertThat(server.stop()).isZero();
            }
            cluster.killBookie(1);
            cluster.killBookie(2);
            cluster.emptyBookie(2);
            cluster.renameBookie(2);
            cluster.startBookie(2);
            try (ServerProcess server = ServerProcess.start(on(second, cluster.zooKeeper()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                requireAll(s3);
            }
        }
    }

    private static boolean hasFewerCopies(ServerProcess server) throws Exception {
        return VoluteCommand.done(server, "cube", "show", "default").contains("fewer than wanted");
    }

    /** BookKeeper refuses its old name: it would answer that entries never existed. */
    @Test
    void aBookieWithAnEmptiedDiskNeedsANewName() throws Exception {
        BookieCluster cluster = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("emptied");
                ServerProcess server = ServerProcess.start(on(directory, cluster.zooKeeper()));
                S3Client s3 = Clients.sync(server.endpoint())) {
            new Store(server.endpoint(), s3).create(BUCKET);
            put(s3, "before", 4096);
            cluster.killBookie(0);
            cluster.emptyBookie(0);
            assertThat(cluster.refusedStart(0)).contains("InvalidCookieException");
            cluster.renameBookie(0);
            cluster.startBookie(0);
            cluster.killBookie(1);
            put(s3, "after", 4096);
            put(s3, "large", 3_000_000);
            requireAll(s3);
            server.kill();
            try (ServerProcess again = ServerProcess.start(on(directory, cluster.zooKeeper()));
                    S3Client after = Clients.sync(again.endpoint())) {
                requireAll(after);
            }
        }
    }

    @Test
    void anOwnerThatWasStoppedServesNothingOnceItWakes() throws Exception {
        BookieCluster cluster = BookieCluster.shared();
        try (TemporaryStore first = TemporaryStore.create("stopped");
                TemporaryStore second = TemporaryStore.create("next");
                ServerProcess stopped = ServerProcess.start(on(first, cluster.zooKeeper()));
                S3Client before = Clients.once(stopped.endpoint())) {
            new Store(stopped.endpoint(), before).create(BUCKET);
            put(before, "key", 4096);
            requireAll(before);
            copyWithoutCubes(first.data(), second.data());
            ServerProcess.signal("STOP", stopped.pid());
            try (ServerProcess next = ServerProcess.start(on(second, cluster.zooKeeper()));
                    S3Client after = Clients.sync(next.endpoint())) {
                requireAll(after);
                put(after, "key", 5000);
                ServerProcess.signal("CONT", stopped.pid());
                requireUnavailable(() -> before.headObject(to -> to.bucket(BUCKET).key("key")));
                requireUnavailable(() -> requireAll(before));
                requireUnavailable(
                        () ->
                                before.putObject(
                                        to -> to.bucket(BUCKET).key("key"),
                                        RequestBody.fromString("late")));
                requireAll(after);
            }
            awaitLine(stopped, "the cube is closed on this server");
        }
    }

    /** Waits for a line, which a server writes beside its answers. */
    private static void awaitLine(ServerProcess server, String text) {
        long limit = System.nanoTime() + LINE_LIMIT.toNanos();
        while (!server.log().contains(text) && System.nanoTime() - limit < 0) {
            LockSupport.parkNanos(LINE_POLL.toNanos());
        }
        assertThat(server.log()).contains(text);
    }

    private static void requireUnavailable(ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(503));
    }

    @Test
    void aStoreOfOneMachineLoadsNothingOfIt() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("local")) {
            Path loaded = directory.data().resolveSibling("loaded");
            Map<String, String> logged =
                    Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded);
            try (ServerProcess server = ServerProcess.start(directory, logged);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                new Store(server.endpoint(), s3).create(BUCKET);
                put(s3, "small", 4096);
                requireAll(s3);
                assertThat(server.stop()).isZero();
            }
            assertThat(Files.readAllLines(loaded))
                    .anyMatch(line -> line.contains("io.volute.server.startup.CubeFiles "))
                    .noneMatch(line -> line.contains(" org.apache.bookkeeper."))
                    .noneMatch(line -> line.contains(" org.apache.zookeeper."))
                    .noneMatch(line -> line.contains(" io.volute.bookkeeper."));
        }
    }

    @Test
    void settingsThatLeadNowhereNameTheRemedy() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("nowhere");
                TemporaryStore servers = TemporaryStore.create("zookeeper")) {
            int closed = ServerProcess.freePort();
            assertThatThrownBy(() -> ServerProcess.start(on(directory, "127.0.0.1:" + closed)))
                    .hasMessageContaining("ZooKeeper at 127.0.0.1:" + closed)
                    .hasMessageContaining("start it, or correct log.bookkeeper.zookeeper");
            try (BookieCluster alone =
                    BookieCluster.zooKeeperAlone(Files.createDirectories(servers.data()))) {
                assertThatThrownBy(() -> ServerProcess.start(on(directory, alone.zooKeeper())))
                        .hasMessageContaining("no BookKeeper cluster is registered at")
                        .hasMessageContaining("initnewcluster");
            }
            assertThat(directory.data().resolve("cubes/default/mirrors")).doesNotExist();
        }
    }
}
