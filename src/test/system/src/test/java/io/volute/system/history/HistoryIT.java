package io.volute.system.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests that the command finds, follows and undoes an actor's work on the real server. */
class HistoryIT {
    private static void put(S3Client s3, String actor, String key, String body) {
        Store.put(s3, key, body, "x-volute-actor", actor);
    }

    private static String get(S3Client s3, String actor, String key) {
        return s3.getObjectAsBytes(
                        get ->
                                get.bucket("bucket")
                                        .key(key)
                                        .overrideConfiguration(
                                                override ->
                                                        override.putHeader(
                                                                "x-volute-actor", actor)))
                .asUtf8String();
    }

    @Test
    void whatAnActorDidIsFoundAndUndone() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("history");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            put(s3, "owner", "a", "right");
            put(s3, "owner", "shared", "right");
            put(s3, "thief", "a", "wrong");
            assertThat(get(s3, "job", "a")).isEqualTo("wrong");
            put(s3, "job", "derived", "from wrong");
            put(s3, "thief", "shared", "wrong");
            put(s3, "owner", "shared", "newer");

            assertThat(VoluteCommand.done(server, "history", "s3://bucket/a"))
                    .contains("current", "\"thief\" from 127.0.0.1 (")
                    .contains("hidden", "\"owner\" from 127.0.0.1 (");
            assertThat(VoluteCommand.done(server, "actors", "--name", "thief")).contains("thief");
            assertThat(VoluteCommand.done(server, "activity", "--name", "thief", "--since", "-1h"))
                    .contains("put     bucket/a @")
                    .contains("put     bucket/shared @")
                    .doesNotContain("derived");
            assertThat(VoluteCommand.done(server, "trace", "forward", "s3://bucket/a"))
                    .contains("\"job\" from 127.0.0.1 (", "bucket/derived @");
            assertThat(VoluteCommand.done(server, "trace", "back", "s3://bucket/derived", "--dot"))
                    .contains("label=\"bucket/a\\ncausal version");

            String[] undo = {"restore", "bucket", "--undo-name", "thief", "--since", "-1h"};
            Said refused = VoluteCommand.run(server, undo);
            assertThat(refused.code()).as(refused.text()).isEqualTo(4);
            assertThat(refused.text()).contains("shared", "nothing was changed");
            assertThat(get(s3, "owner", "a")).isEqualTo("wrong");
            assertThat(
                            VoluteCommand.done(
                                    server,
                                    "restore",
                                    "bucket",
                                    "--undo-name",
                                    "thief",
                                    "--since",
                                    "-1h",
                                    "--skip",
                                    "--yes"))
                    .contains(" done: ", "1 put back, 1 removed, 0 unchanged, 1 left");
            assertThat(get(s3, "owner", "a")).isEqualTo("right");
            assertThat(get(s3, "owner", "shared")).isEqualTo("newer");
            assertThat(VoluteCommand.done(server, "restore", "--status"))
                    .contains("undo-name name \"thief\"");
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    private static void put(S3Client s3, String key, String body) {
        s3.putObject(put -> put.bucket("bucket").key(key), RequestBody.fromString(body));
    }

    /** Waits until a whole second is over that begins behind this call; returns it. */
    private static Instant wholeSecond() {
        Instant second = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        while (!Instant.now().isAfter(second.plusMillis(1))) {
            Thread.onSpinWait();
        }
        return second;
    }

    private static String past(Instant instant) {
        return "bucket--at-" + instant.toString().replaceAll("[:-]", "").toLowerCase(Locale.ROOT);
    }

    /** A single client: causality alone would keep none of its states. */
    @Test
    void whatOneClientWroteAndDeletedComesBack() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("history");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            put(s3, "k", "v1");
            Instant first = wholeSecond();
            put(s3, "k", "v2");
            Instant second = wholeSecond();
            s3.deleteObject(delete -> delete.bucket("bucket").key("k"));
            wholeSecond();
            assertThat(s3.getObjectAsBytes(get -> get.bucket(past(first)).key("k")).asUtf8String())
                    .isEqualTo("v1");
            assertThat(s3.getObjectAsBytes(get -> get.bucket(past(second)).key("k")).asUtf8String())
                    .isEqualTo("v2");
            assertThat(VoluteCommand.done(server, "history", "s3://bucket/k").split("hidden", -1))
                    .hasSize(3);
            String[] back = {"restore", "bucket", "--at", first.toString()};
            assertThat(VoluteCommand.done(server, back)).contains("1 put back");
            assertThat(get(s3, "reader", "k")).isEqualTo("v1");

            assertThat(VoluteCommand.done(server, "history", "policy", "bucket"))
                    .contains("cycle-avoidance, exact every 1 s");
            assertThat(
                            VoluteCommand.done(
                                    server, "history", "policy", "bucket", "--resolution", "0"))
                    .contains("cycle-avoidance")
                    .doesNotContain("exact");
            put(s3, "lost", "v1");
            Instant third = wholeSecond();
            s3.deleteObject(delete -> delete.bucket("bucket").key("lost"));
            wholeSecond();
            for (String last : List.of("--dry-run", "--json")) {
                Said said =
                        VoluteCommand.run(
                                server,
                                "restore",
                                "bucket",
                                "--prefix",
                                "lost",
                                "--at",
                                third.toString(),
                                last);
                assertThat(said.code()).as(said.text()).isEqualTo(4);
                assertThat(said.text())
                        .contains(last.equals("--json") ? "\"lost\":1" : "unknown 1");
            }
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }
}
