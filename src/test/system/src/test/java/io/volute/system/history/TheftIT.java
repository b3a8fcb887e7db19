package io.volute.system.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.FileTree;
import io.volute.system.Past;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Runs the steps of docs/guide/undo-a-theft.md. Keep the test and the guide the same. */
class TheftIT {
    private static final String ALL =
            """
            {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:*",
             "Resource": ["arn:aws:s3:::bucket", "arn:aws:s3:::bucket/*"]}}
            """;

    /** The network address of all clients, the thief included. */
    private static final String HOME = "192.0.2.7";

    private static final String ABROAD = "198.51.100.66";

    /** Believes this host on whose requests they are. */
    private static ServerProcess start(TemporaryStore work) {
        return ServerProcess.start(work, Map.of("VOLUTE_SERVER_TRUSTED_PROXIES", "127.0.0.1"));
    }

    /** Somebody with a key of their own. */
    private record Person(AwsCredentials key, S3Client s3) implements AutoCloseable {
        static Person of(ServerProcess server, String name) throws Exception {
            VoluteCommand.json(server, "user", "add", name);
            VoluteCommand.json(server, "policy", "attach", "all", "--user", name);
            Map<String, Object> made = VoluteCommand.json(server, "key", "add", name);
            AwsBasicCredentials key =
                    AwsBasicCredentials.create(
                            (String) made.get("accessKey"), (String) made.get("secretKey"));
            return of(server, key, HOME);
        }

        /** Somebody whose requests come from an address, by way of the proxy. */
        static Person of(ServerProcess server, AwsCredentials key, String address) {
            return new Person(key, Clients.behindProxy(server.endpoint(), key, address));
        }

        void put(String key, String text) {
            s3.putObject(put -> put.bucket("bucket").key(key), RequestBody.fromString(text));
        }

        String get(String key) {
            return s3.getObjectAsBytes(get -> get.bucket("bucket").key(key)).asUtf8String();
        }

        @Override
        public void close() {
            s3.close();
        }
    }

    private static List<Map<String, Object>> lines(ServerProcess server, String... arguments)
            throws Exception {
        List<Map<String, Object>> lines = new ArrayList<>();
        for (Object each : (List<?>) VoluteCommand.json(server, arguments).get("lines")) {
            @SuppressWarnings("unchecked")
            Map<String, Object> line = (Map<String, Object>) each;
            lines.add(line);
        }
        return lines;
    }

    private static List<Object> keys(List<Map<String, Object>> lines) {
        return lines.stream().map(line -> line.get("key")).toList();
    }

    /** The id of the state of a key that somebody with this access key wrote. */
    private static String stateOf(ServerProcess server, String key, String accessKey)
            throws Exception {
        Map<String, Object> history = VoluteCommand.json(server, "history", "s3://bucket/" + key);
        for (Object each : (List<?>) history.get("states")) {
            Map<?, ?> state = (Map<?, ?>) each;
            if (((Map<?, ?>) state.get("actor")).get("accessKey").equals(accessKey)) {
                return (String) state.get("stateId");
            }
        }
        throw new AssertionError("no state by " + accessKey + " in " + history);
    }

    private static Path synced(ExternalClient aws, Path work, URI endpoint, String bucket)
            throws Exception {
        aws.with("AWS_ENDPOINT_URL", endpoint.toString());
        aws.run("s3", "sync", "--only-show-errors", "s3://" + bucket, bucket).orFail();
        return work.resolve(bucket);
    }

    @Test
    void itIsFoundSeenUndoneAndVerified() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("theft");
                ServerProcess server = start(work);
                S3Client root = Clients.once(server.endpoint())) {
            ExternalClient aws = ExternalClient.orSkip(work.path(), List.of("aws"), "--version");
            root.createBucket(create -> create.bucket("bucket"));
            Path policy = Files.writeString(work.path().resolve("all.json"), ALL);
            VoluteCommand.json(server, "policy", "put", "all", policy.toString());
            try (Person owner = Person.of(server, "owner");
                    Person job = Person.of(server, "job");
                    Person thief = Person.of(server, "backup")) {
                String stolen = thief.key().accessKeyId();
                for (String key : List.of("a", "b", "c", "shared", "same")) {
                    owner.put(key, "right " + key);
                }
                job.put("report", "of " + job.get("a") + " and " + job.get("c"));
                Instant before = Past.between(root, "bucket");
                String since = before.toString();

                thief.put("a", "wrong");
                thief.s3().deleteObject(delete -> delete.bucket("bucket").key("b"));
                thief.s3()
                        .copyObject(
                                copy ->
                                        copy.sourceBucket("bucket")
                                                .sourceKey("c")
                                                .destinationBucket("bucket")
                                                .destinationKey("taken/c"));
                thief.put("shared", "wrong");
                job.put("report", "of " + job.get("a") + " and " + job.get("c"));
                owner.put("shared", "newer");

                // Something is wrong. Who wrote it?
                assertThat(VoluteCommand.done(server, "history", "s3://bucket/a"))
                        .contains("current", stolen, "hidden", owner.key().accessKeyId());
                String wrong = stateOf(server, "a", stolen);

                // What else did it do?
                assertThat(VoluteCommand.done(server, "actors", "--access-key", stolen))
                        .contains("backup");
                assertThat(
                                VoluteCommand.done(
                                        server,
                                        "activity",
                                        "--access-key",
                                        stolen,
                                        "--since",
                                        since))
                        .contains("bucket/a @", "bucket/b @", "bucket/taken/c @", "bucket/shared @")
                        .doesNotContain("report");

                // What came of it?
                assertThat(VoluteCommand.done(server, "trace", "forward", "s3://bucket/a"))
                        .contains("bucket/report @", job.key().accessKeyId());
                assertThat(VoluteCommand.done(server, "trace", "forward", "s3://bucket/a", "--svg"))
                        .contains("<svg", "bucket/report");
                assertThat(VoluteCommand.done(server, "trace", "back", "s3://bucket/report"))
                        .contains("bucket/a @", stolen);

                // From what is wrong to where it began, and forward from there.
                assertThat(
                                keys(
                                        lines(
                                                server,
                                                "restore",
                                                "bucket",
                                                "--before-taint",
                                                "s3://bucket/report",
                                                "--caused-by-access-key",
                                                stolen,
                                                "--dry-run")))
                        .containsExactly("a", "report");

                // See the plan.
                String[] undo = {
                    "restore", "bucket", "--undo-access-key", stolen, "--since", since
                };
                assertThat(VoluteCommand.run(server, with(undo, "--dry-run")).code()).isEqualTo(4);
                String[] skip = with(undo, "--skip");
                List<Map<String, Object>> plan = lines(server, with(skip, "--dry-run"));
                assertThat(keys(plan)).containsExactly("a", "b", "report", "shared", "taken/c");
                assertThat(plan).allMatch(line -> line.get("exact").equals(true));
                Said refused = VoluteCommand.run(server, undo);
                assertThat(refused.code()).as(refused.text()).isEqualTo(4);
                assertThat(owner.get("a")).isEqualTo("wrong");

                // Undo it, and everything that was derived from it.
                Said asked = VoluteCommand.run(server, skip);
                assertThat(asked.code()).as(asked.text()).isEqualTo(2);
                assertThat(asked.text()).contains("remove 1", "--yes");
                assertThat(VoluteCommand.done(server, with(skip, "--yes")))
                        .contains("3 put back, 1 removed, 0 unchanged, 1 left, 0 unknown");
                assertThat(owner.get("report")).isEqualTo("of right a and right c");

                // Neither a second undo nor one of a single state brings anything of it back.
                String[] derived = {
                    "restore", "bucket", "--before-taint", "s3://bucket/a", "--version-id", wrong
                };
                assertThat(keys(lines(server, with(derived, "--dry-run")))).isEmpty();
                assertThat(VoluteCommand.done(server, with(skip, "--yes")))
                        .contains("0 put back, 0 removed, 4 unchanged, 1 left, 0 unknown");

                // Verify.
                owner.put("shared", "right shared");
                URI endpoint = server.endpoint();
                Path then = synced(aws, work.path(), endpoint, Past.alias("bucket", before));
                FileTree.assertSame(then, synced(aws, work.path(), endpoint, "bucket"));
                assertThat(owner.get("report")).isEqualTo("of right a and right c");
                assertThat(VoluteCommand.done(server, "audit", "--all")).contains("0 findings");
            }
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    private static String[] words(ExternalClient.Result result) throws IOException {
        return result.orFail().strip().split("\\s+");
    }

    /** The name in the history of the first actor with an access key. */
    private static String nameOf(ServerProcess server, String accessKey) throws Exception {
        Map<String, Object> actors =
                VoluteCommand.json(server, "actors", "--access-key", accessKey);
        return (String) ((Map<?, ?>) ((List<?>) actors.get("actors")).getFirst()).get("name");
    }

    private static void putAs(Person person, String actor, String key) {
        Store.put(person.s3(), key, "wrong", "x-volute-actor", actor);
    }

    /** The thief has the key, a session of it, the victim's program, and the victim's name. */
    @Test
    void aSessionAndABorrowedNameAreUndoneWithTheKey() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("disguise");
                ServerProcess server = start(work);
                S3Client root = Clients.once(server.endpoint())) {
            ExternalClient aws = ExternalClient.orSkip(work.path(), List.of("aws"), "--version");
            root.createBucket(create -> create.bucket("bucket"));
            Path policy = Files.writeString(work.path().resolve("all.json"), ALL);
            VoluteCommand.json(server, "policy", "put", "all", policy.toString());
            List<String> keys =
                    List.of("deleted", "name", "program", "session", "session-name", "twin");
            try (Person victim = Person.of(server, "backup");
                    Person thief = Person.of(server, victim.key(), ABROAD);
                    // At the victim's address, with its key and its program: the same actor.
                    Person twin = Person.of(server, victim.key(), HOME)) {
                String stolen = victim.key().accessKeyId();
                for (String key : keys) {
                    victim.put(key, "right " + key);
                }
                Instant before = Past.between(root, "bucket");
                String since = before.toString();
                String name = nameOf(server, stolen);
                assertThat(name).startsWith(HOME + " aws-sdk-java/");

                thief.put("program", "wrong");
                putAs(thief, name, "name");
                twin.put("twin", "wrong");
                aws.with("AWS_ENDPOINT_URL", server.endpoint().toString())
                        .with("AWS_ACCESS_KEY_ID", stolen)
                        .with("AWS_SECRET_ACCESS_KEY", victim.key().secretAccessKey());
                String[] session =
                        words(
                                aws.run(
                                        "sts",
                                        "get-session-token",
                                        "--query",
                                        "Credentials.[AccessKeyId,SecretAccessKey,SessionToken]",
                                        "--output",
                                        "text"));
                AwsCredentials begun =
                        AwsSessionCredentials.create(session[0], session[1], session[2]);
                try (Person later = Person.of(server, begun, ABROAD)) {
                    later.put("session", "wrong");
                    putAs(later, name, "session-name");
                    later.s3().deleteObject(delete -> delete.bucket("bucket").key("deleted"));
                }

                // Stop it.
                VoluteCommand.done(server, "key", "disable", stolen);

                // What else did it do?
                assertThat(VoluteCommand.done(server, "actors", "--access-key", stolen))
                        .contains(
                                session[0],
                                HOME + " aws-sdk-java/",
                                ABROAD + " aws-sdk-java/",
                                '"' + name + "\" from " + ABROAD);
                assertThat(
                                VoluteCommand.done(
                                        server,
                                        "activity",
                                        "--access-key",
                                        stolen,
                                        "--since",
                                        since))
                        .contains(keys.stream().map(key -> "bucket/" + key + " @").toList());

                // See the plan.
                String[] undo = {
                    "restore", "bucket", "--undo-access-key", stolen, "--since", since
                };
                assertThat(VoluteCommand.done(server, with(undo, "--dry-run")))
                        .contains("this key began 1 session", session[0] + " begun by " + stolen);
                List<Map<String, Object>> plan = lines(server, with(undo, "--dry-run"));
                assertThat(keys(plan)).isEqualTo(keys);
                assertThat(plan).allMatch(line -> line.get("exact").equals(true));
                String[] user = {"restore", "bucket", "--undo-user", "backup", "--since", since};
                assertThat(keys(lines(server, with(user, "--dry-run")))).isEqualTo(keys);

                // Undo it.
                assertThat(VoluteCommand.done(server, with(undo, "--skip")))
                        .contains("6 put back, 0 removed, 0 unchanged, 0 left");
                for (String key : keys) {
                    assertThat(
                                    root.getObjectAsBytes(get -> get.bucket("bucket").key(key))
                                            .asUtf8String())
                            .isEqualTo("right " + key);
                }
                assertThat(VoluteCommand.done(server, "audit", "--all")).contains("0 findings");
            }
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    private static String[] with(String[] arguments, String more) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(more);
        return all.toArray(String[]::new);
    }
}
