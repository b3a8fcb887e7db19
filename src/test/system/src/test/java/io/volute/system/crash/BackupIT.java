package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.Past;
import io.volute.system.RawConnection;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import io.volute.testkit.ledger.ClientLedger;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.Tag;

/**
 * Backups as an operator makes them: the drill of docs/guide/back-up.md, and kills of the server
 * while it makes one. {@code -Dvolute.backup.kills=100} is the full run.
 */
class BackupIT {
    private static final int CLIENTS = 6;
    private static final String MARKERS = "markers";

    @Test
    void aStoreOfAMachineThatIsLostGoesOnElsewhere() throws Exception {
        ManyObjects objects = new ManyObjects("many", 1_000);
        AnswerSheet.Sample sample = new AnswerSheet.Sample(objects, 200, 1);
        try (TemporaryStore work = TemporaryStore.create("backup")) {
            Path backups = work.path().resolve("backups");
            Path keys = work.path().resolve("provenance.key");
            AnswerSheet before;
            AwsBasicCredentials carol;
            try (ServerProcess server = ServerProcess.start(work);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                store.createVersioned(objects.bucket());
                objects.load(server.endpoint());
                store.put(objects.bucket(), "large", Bytes.random(1, 9 << 20));
                carol = carol(server, work.path());
                assertThat(create(server, backups)).contains("keys/provenance.key");
                store.put(objects.bucket(), "after", "the first snapshot");
                assertThat(create(server, backups)).contains("snapshot ");
                before = AnswerSheet.of(server.endpoint(), sample);
                Files.copy(work.data().resolve("keys/provenance.key"), keys);
                server.kill();
            }
            TemporaryStore.deleteTree(work.data());
            assertThat(alone("verify", "--all", "--from", backups.toString())).contains("whole");
            List<Map<String, Object>> snapshots = list(backups);
            assertThat(snapshots).hasSize(2);
            assertThat((long) snapshots.get(1).get("sent"))
                    .isLessThan((long) snapshots.get(0).get("sent") / 10);
            Path data = work.path().resolve("elsewhere");
            assertThat(alone("restore", "--from", backups.toString(), "--data", data.toString()))
                    .contains("Put these back", "keys/provenance.key");
            Files.move(keys, data.resolve("keys/provenance.key"));
            try (ServerProcess server = ServerProcess.start(ServerProcess.Options.of(data));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertThat(AnswerSheet.of(server.endpoint(), sample).differences(before)).isEmpty();
                Kills.requireHistory(server);
                VoluteCommand.done(server, "check");
                Store store = new Store(server.endpoint(), s3);
                assertThat(store.get(objects.bucket(), "large"))
                        .isEqualTo(Bytes.random(1, 9 << 20));
                assertThat(store.text(objects.bucket(), "after")).isEqualTo("the first snapshot");
                write(server.endpoint(), carol, objects.bucket());
                // The next backup knows what is there.
                create(server, backups);
                assertThat(server.stop()).isZero();
            }
            assertThat((long) list(backups).get(2).get("sent"))
                    .isLessThan((long) snapshots.get(0).get("sent") / 2);
        }
    }

    /** A bucket of another server; encrypted, so nothing must be put back by hand. */
    @Test
    void aBucketOfAnotherServerIsATarget() throws Exception {
        try (TemporaryStore there = TemporaryStore.create("backup-there");
                TemporaryStore work = TemporaryStore.create("backup-here");
                ServerProcess other = ServerProcess.start(there)) {
            try (S3Client s3 = Clients.sync(other.endpoint())) {
                new Store(other.endpoint(), s3).create("backups");
            }
            String target = other.endpoint() + "/backups/one";
            Path passphrase = secret(work, "passphrase", "correct horse battery");
            Path credentials =
                    secret(
                            work,
                            "credentials",
                            ServerProcess.ACCESS_KEY + " " + ServerProcess.SECRET_KEY);
            ServerProcess.Options options =
                    ServerProcess.Options.of(work.data())
                            .withEnvironment(
                                    Map.of(
                                            "VOLUTE_BACKUP_TARGET",
                                            target,
                                            "VOLUTE_BACKUP_CREDENTIALS",
                                            credentials.toString(),
                                            "VOLUTE_BACKUP_PASSPHRASE_FILE",
                                            passphrase.toString()));
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                store.createVersioned("kept");
                store.put("kept", "k", Bytes.random(7, 3 << 20));
                assertThat(VoluteCommand.done(server, "backup", "create"))
                        .contains("snapshot ")
                        .doesNotContain("Missing in it");
                server.kill();
            }
            String[] from = {"--from", target, "--passphrase-file", passphrase.toString()};
            inBucket("verify", from);
            inBucket("verify", from, "--contents", "--scratch=" + work.path());
            Path data = work.path().resolve("elsewhere");
            inBucket("restore", from, "--data", data.toString());
            try (ServerProcess server = ServerProcess.start(ServerProcess.Options.of(data));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertThat(new Store(server.endpoint(), s3).get("kept", "k"))
                        .isEqualTo(Bytes.random(7, 3 << 20));
                Kills.requireHistory(server);
            }
            inBucket("prune", from, "--keep", "1", "--yes");
        }
    }

    /** The server that lost a bucket gets it back while it serves, whole and as of an instant. */
    @Test
    void oneBucketComesBackIntoARunningServer() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("backup-bucket");
                ServerProcess server = ServerProcess.start(work);
                S3Client s3 = Clients.sync(server.endpoint())) {
            Path backups = work.path().resolve("backups");
            Path copy = work.path().resolve("copy");
            Store store = new Store(server.endpoint(), s3);
            store.createVersioned("lost");
            store.put("lost", "k", "one");
            Instant between = Past.between(s3, "lost");
            store.put("lost", "k", "two");
            s3.putObjectTagging(
                    put ->
                            put.bucket("lost")
                                    .key("k")
                                    .tagging(
                                            all ->
                                                    all.tagSet(
                                                            Tag.builder()
                                                                    .key("a")
                                                                    .value("b")
                                                                    .build())));
            store.put("lost", "large", Bytes.random(1, 9 << 20));
            s3.deleteObject(delete -> delete.bucket("lost").key("large"));
            create(server, backups);
            store.put("lost", "k", "three");
            String[] from = {
                "restore",
                "--from",
                backups.toString(),
                "--data",
                copy.toString(),
                "lost",
                "--endpoint",
                server.endpoint().toString()
            };

            // Without the key that unseals the copy, nothing begins.
            Said refused = restore(from, "--into", "back");
            assertThat(refused.code()).as(refused.text()).isEqualTo(1);
            assertThat(refused.text()).contains("keys/provenance.key", "--keys");
            assertThat(copy).doesNotExist();

            String keys = work.data().resolve("keys").toString();
            Said whole = restore(from, "--into", "back", "--keys", keys);
            assertThat(whole.code()).as(whole.text()).isZero();
            assertThat(copy).doesNotExist();
            assertThat(store.text("back", "k")).isEqualTo("two");
            assertThat(s3.getObjectTagging(get -> get.bucket("back").key("k")).tagSet())
                    .extracting(Tag::value)
                    .containsExactly("b");
            List<ObjectVersion> versions =
                    s3.listObjectVersions(list -> list.bucket("back")).versions();
            assertThat(versions).extracting(ObjectVersion::key).containsExactly("k", "k", "large");
            assertThat(store.version("back", "large", versions.get(2).versionId()).asByteArray())
                    .isEqualTo(Bytes.random(1, 9 << 20));
            Store.refused(404, "NoSuchKey", () -> store.get("back", "large"));

            Said then = restore(from, "--into", "then", "--keys", keys, "--at", between.toString());
            assertThat(then.code()).as(then.text()).isZero();
            assertThat(store.text("then", "k")).isEqualTo("one");
            assertThat(s3.listObjectVersions(list -> list.bucket("then")).versions()).hasSize(1);
            assertThat(store.text("lost", "k")).isEqualTo("three");
        }
    }

    private static Said restore(String[] from, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of("backup"));
        all.addAll(List.of(from));
        all.addAll(List.of(more));
        return VoluteCommand.runAloneWith(
                Map.of(
                        "VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY,
                        "VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY),
                all.toArray(String[]::new));
    }

    private static Path secret(TemporaryStore work, String name, String text) throws IOException {
        Path file = work.path().resolve(name);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text + "\n");
    }

    private static void inBucket(String command, String[] from, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of("backup", command));
        all.addAll(List.of(from));
        all.addAll(List.of(more));
        Said said =
                VoluteCommand.runAloneWith(
                        Map.of(
                                "AWS_ACCESS_KEY_ID", ServerProcess.ACCESS_KEY,
                                "AWS_SECRET_ACCESS_KEY", ServerProcess.SECRET_KEY),
                        all.toArray(String[]::new));
        assertThat(said.code()).as(said.text()).isZero();
    }

    private static AwsBasicCredentials carol(ServerProcess server, Path work) throws Exception {
        Path policy =
                Files.writeString(
                        work.resolve("write.json"),
                        """
                        {"Version": "2012-10-17", "Statement": [
                          {"Effect": "Allow", "Action": "s3:PutObject", "Resource": "*"}]}
                        """);
        VoluteCommand.json(server, "user", "add", "carol");
        VoluteCommand.json(server, "policy", "put", "write", policy.toString());
        VoluteCommand.json(server, "policy", "attach", "write", "--user", "carol");
        Map<String, Object> key = VoluteCommand.json(server, "key", "add", "carol");
        return AwsBasicCredentials.create(
                (String) key.get("accessKey"), (String) key.get("secretKey"));
    }

    private static void write(URI endpoint, AwsBasicCredentials user, String bucket) {
        try (S3Client s3 = Clients.as(endpoint, user)) {
            new Store(endpoint, s3).put(bucket, "by carol", "with the key she had");
        }
    }

    private static String create(ServerProcess server, Path to) throws Exception {
        return VoluteCommand.done(server, "backup", "create", "--to", to.toString());
    }

    private static String alone(String... arguments) throws Exception {
        String[] all = new String[arguments.length + 1];
        all[0] = "backup";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        Said said = VoluteCommand.runAlone(all);
        assertThat(said.code()).as(said.text()).isZero();
        return said.text();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Path backups) throws Exception {
        Said said = VoluteCommand.runAlone("backup", "list", "--json", "--from", "" + backups);
        assertThat(said.code()).as(said.text()).isZero();
        return (List<Map<String, Object>>) said.json().get("snapshots");
    }

    /**
     * The server is killed under load while it makes backups. Every snapshot that is listed is
     * whole, and has what was acknowledged before its backup began.
     */
    @Test
    void killsLeaveNoSnapshotThatIsNotWhole() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        int kills = Integer.getInteger("volute.backup.kills", 3);
        SplittableRandom random = new SplittableRandom(seed);
        try (TemporaryStore work = TemporaryStore.create("backup-kill");
                ClientLedger ledger = ClientLedger.inMemory()) {
            Path backups = work.path().resolve("backups");
            ServerProcess.Options options = ServerProcess.Options.of(work.data()).underLoad();
            ServerProcess server = ServerProcess.start(options);
            try {
                makeBuckets(server);
                for (int round = 0; round < kills; round++) {
                    mark(server, round);
                    begin(server, backups);
                    load(ledger, server, round, random);
                    ledger.serverDied();
                    server = ServerProcess.start(options);
                }
                mark(server, kills);
                create(server, backups);
                Files.copy(
                        work.data().resolve("keys/provenance.key"),
                        work.path().resolve("provenance.key"));
            } finally {
                server.close();
            }
            alone("verify", "--all", "--from", backups.toString());
            List<Map<String, Object>> snapshots = list(backups);
            System.out.printf(
                    "backup kills: seed %d, kills %d, snapshots %d%n",
                    seed, kills, snapshots.size());
            checkRestored(work, backups, kills);
        }
    }

    private static void makeBuckets(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            store.create(MARKERS);
            store.create(KillLoad.PLAIN);
            store.createVersioned(KillLoad.VERSIONED);
        }
    }

    private static void mark(ServerProcess server, int round) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            new Store(server.endpoint(), s3).put(MARKERS, "round-" + round, "acknowledged");
        }
    }

    /** Starts a backup and does not follow it. */
    private static void begin(ServerProcess server, Path backups) throws IOException {
        String body = "{\"to\":\"" + backups + "\"}";
        try (RawConnection connection = RawConnection.open(server.endpoint())) {
            connection.send(
                    RawRequest.of("POST", "/_volute/v1/backup")
                            .body(body)
                            .signed(server.endpoint()));
            assertThat(connection.read("POST").orElseThrow().status()).isEqualTo(202);
        }
    }

    private static void load(
            ClientLedger ledger, ServerProcess server, int round, SplittableRandom random)
            throws InterruptedException {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            KillLoad load = new KillLoad(ledger, s3, round, 1 + random.nextInt(60), server::kill);
            Kills.requireNoFaults(load.run(CLIENTS, random.nextLong()), server);
        }
    }

    private static void checkRestored(TemporaryStore work, Path backups, int kills)
            throws Exception {
        Path data = work.path().resolve("elsewhere");
        alone("restore", "--from", backups.toString(), "--data", data.toString());
        Files.copy(work.path().resolve("provenance.key"), data.resolve("keys/provenance.key"));
        try (ServerProcess server = ServerProcess.start(ServerProcess.Options.of(data));
                S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            for (int round = 0; round <= kills; round++) {
                assertThat(store.text(MARKERS, "round-" + round)).isEqualTo("acknowledged");
            }
            Kills.requireHistory(server);
            VoluteCommand.done(server, "check");
        }
    }
}
