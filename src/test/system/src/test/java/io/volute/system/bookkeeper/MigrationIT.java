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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** A log that moves from the disk of one machine to bookies and back, while clients use it. */
class MigrationIT {
    private static final String BUCKET = "moving";
    private static final int OBJECTS = Integer.getInteger("volute.migration.objects", 200);
    private static final int KILLED_OBJECTS = 3 * OBJECTS;
    private static final String RATE = System.getProperty("volute.migration.rate", "64 MiB");
    private static final Pattern COPIED = Pattern.compile("\"bytes\" ?: ?([0-9]+)");

    private static Map<String, String> settings(String zooKeeper, String store) {
        Map<String, String> settings = new HashMap<>();
        settings.put("VOLUTE_LOG_STORE", store);
        settings.put("VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER", zooKeeper);
        settings.put("VOLUTE_LOG_BOOKKEEPER_SESSION_TIMEOUT", "4s");
        settings.put("VOLUTE_LOG_SEGMENT_SIZE", "4 MiB");
        settings.put("VOLUTE_LOG_BOOKKEEPER_MIGRATION_RATE", RATE);
        return settings;
    }

    private static ServerProcess started(Path data, String zooKeeper, String store) {
        return ServerProcess.start(
                ServerProcess.Options.of(data).withEnvironment(settings(zooKeeper, store)));
    }

    private static void requireAudited(ServerProcess server) throws Exception {
        assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                .contains("0 findings");
    }

    /** Moves the log while a client writes and reads; the client sees no error. */
    private static SteadyClient migrated(ServerProcess server, S3Client s3, String to)
            throws Exception {
        requireAudited(server);
        try (SteadyClient client = new SteadyClient(s3, BUCKET)) {
            client.awaitAcknowledged(20);
            long before = client.slowestMillis();
            long begun = System.nanoTime();
            assertThat(
                            VoluteCommand.done(
                                    server, "cube", "migrate", "default", "--to", to, "--wait"))
                    .contains("log      " + to);
            long nanos = System.nanoTime() - begun;
            client.awaitAcknowledged(20);
            client.close();
            System.out.println(
                    "migration to "
                            + to
                            + ": "
                            + copied(server)
                            + " bytes in "
                            + TimeUnit.NANOSECONDS.toMillis(nanos)
                            + " ms; the slowest write took "
                            + before
                            + " ms before it, "
                            + client.slowestMillis()
                            + " ms with it");
            assertThat(client.errors()).isEmpty();
            client.requireAll(s3);
            requireAudited(server);
            return client;
        }
    }

    private static long copied(ServerProcess server) throws Exception {
        Matcher bytes =
                COPIED.matcher(VoluteCommand.done(server, "cube", "show", "default", "--json"));
        assertThat(bytes.find()).isTrue();
        return Long.parseLong(bytes.group(1));
    }

    @Test
    void aStoreOfOneMachineMovesToAClusterAndBackWhileItIsUsed() throws Exception {
        List<SteadyClient> clients = new ArrayList<>();
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes")) {
            String zooKeeper = bookies.zooKeeper();
            Path first = directory.path().resolve("node0");
            Path second = directory.path().resolve("node1");
            try (ServerProcess alone = started(first, zooKeeper, "local");
                    S3Client s3 = Clients.sync(alone.endpoint())) {
                new Store(alone.endpoint(), s3).create(BUCKET);
                SteadyClient.putMany(s3, BUCKET, OBJECTS, new byte[20_000]);
                clients.add(migrated(alone, s3, "bookkeeper"));
                assertThat(files(first.resolve("cubes/default/segments"))).isEmpty();
                assertThat(alone.stop()).isZero();
            }
            inACluster(directory, zooKeeper, clients);
            try (ServerProcess alone = started(second, zooKeeper, "bookkeeper");
                    S3Client s3 = Clients.sync(alone.endpoint())) {
                for (SteadyClient each : clients) {
                    each.requireAll(s3);
                }
                clients.add(migrated(alone, s3, "local"));
                assertThat(files(second.resolve("cubes/default/mirrors"))).isEmpty();
                assertThat(alone.stop()).isZero();
            }
            assertThatThrownBy(() -> started(first, zooKeeper, "bookkeeper"))
                    .hasMessageContaining("has left BookKeeper for the local disk of the server")
                    .hasMessageContaining("start that server");
            bookies.killZooKeeper();
            try (ServerProcess alone = started(second, zooKeeper, "local");
                    S3Client s3 = Clients.sync(alone.endpoint())) {
                for (SteadyClient each : clients) {
                    each.requireAll(s3);
                }
                requireAudited(alone);
            }
        }
    }

    /** The node that had the store is killed: the other one has all of it. */
    private static void inACluster(
            TemporaryStore directory, String zooKeeper, List<SteadyClient> clients)
            throws Exception {
        try (ClusterNodes nodes = ClusterNodes.start(directory, zooKeeper, 2);
                S3Client s3 = nodes.client(1)) {
            try (SteadyClient client = new SteadyClient(s3, BUCKET)) {
                client.awaitAcknowledged(20);
                assertThat(
                                VoluteCommand.run(
                                                nodes.node(1),
                                                "cube",
                                                "migrate",
                                                "default",
                                                "--to",
                                                "local")
                                        .text())
                        .contains("no other node of the cluster reaches the local disk");
                nodes.node(nodes.owner()).kill();
                client.awaitAcknowledged(20);
                clients.add(client);
            }
            for (SteadyClient each : clients) {
                each.requireAll(s3);
            }
        }
    }

    @Test
    void aPlaceThatCannotTakeTheLogIsNamedBeforeAnythingChanges() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore first = TemporaryStore.create("first");
                TemporaryStore second = TemporaryStore.create("second")) {
            String zooKeeper = bookies.zooKeeper();
            try (ServerProcess owner = started(first.data(), zooKeeper, "bookkeeper");
                    ServerProcess other = started(second.data(), zooKeeper, "local")) {
                assertThat(refused(other))
                        .contains("CannotMigrate")
                        .contains("the cube default is claimed by another store")
                        .contains("Choose another log.bookkeeper.path");
                assertThat(owner.stop()).isZero();
            }
            assertThat(second.data().resolve("cubes/default/log.mark")).doesNotExist();
            Map<String, String> tooMany = settings(zooKeeper, "local");
            for (String key : List.of("ENSEMBLE", "WRITE_QUORUM", "ACK_QUORUM")) {
                tooMany.put("VOLUTE_LOG_BOOKKEEPER_" + key, "5");
            }
            ServerProcess.Options options =
                    ServerProcess.Options.of(second.data()).withEnvironment(tooMany);
            try (ServerProcess other = ServerProcess.start(options)) {
                assertThat(refused(other))
                        .contains("3 bookies run at /volute/ledgers, and 5 are needed: start more");
            }
            bookies.killZooKeeper();
            try (ServerProcess other = started(second.data(), zooKeeper, "local")) {
                assertThat(refused(other)).contains("ZooKeeper at " + zooKeeper);
            }
            assertThat(second.data().resolve("cubes/default/log.mark")).doesNotExist();
        }
    }

    private static String refused(ServerProcess server) throws Exception {
        VoluteCommand.Said said =
                VoluteCommand.run(server, "cube", "migrate", "default", "--to", "bookkeeper");
        assertThat(said.code()).isEqualTo(1);
        return said.text();
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.toList();
        }
    }

    @Test
    void aMigrationGoesOnAlthoughTheServerIsKilled() throws Exception {
        List<SteadyClient> clients = new ArrayList<>();
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("killed")) {
            try (ServerProcess server = started(directory.data(), bookies.zooKeeper(), "local");
                    S3Client s3 = Clients.sync(server.endpoint())) {
                new Store(server.endpoint(), s3).create(BUCKET);
                SteadyClient.putMany(s3, BUCKET, KILLED_OBJECTS, new byte[40_000]);
                requireAudited(server);
                assertThat(server.stop()).isZero();
            }
            for (String to : List.of("bookkeeper", "local")) {
                int kills = 0;
                while (!isSettled(directory, bookies, to, clients, kills)) {
                    kills++;
                }
                assertThat(kills).as("kills on the way to " + to).isPositive();
            }
        }
    }

    /** Starts the server, lets the migration go on for some writes, and kills it. */
    private static boolean isSettled(
            TemporaryStore directory,
            BookieCluster bookies,
            String to,
            List<SteadyClient> clients,
            int kills)
            throws Exception {
        try (ServerProcess server = started(directory.data(), bookies.zooKeeper(), "local");
                S3Client s3 = Clients.once(server.endpoint())) {
            for (SteadyClient each : clients) {
                each.requireAll(s3);
            }
            if (kills == 0) {
                VoluteCommand.done(server, "cube", "migrate", "default", "--to", to);
            } else if (isOn(server, to)) {
                requireAudited(server);
                assertThat(server.stop()).isZero();
                return true;
            }
            try (SteadyClient client = new SteadyClient(s3, BUCKET)) {
                client.awaitAcknowledged(kills);
                server.kill();
                client.close();
                if (client.hasAcknowledged()) {
                    clients.add(client);
                }
            }
            return false;
        }
    }

    private static boolean isOn(ServerProcess server, String place) throws Exception {
        String shown = VoluteCommand.done(server, "cube", "show", "default");
        return shown.lines().anyMatch(line -> line.equals("log      " + place));
    }
}
