package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ReplicatedStores;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Damaged versions are put back from their replicas in another store. */
class ReplicaRepairIT {
    private static final String FROM = "--from=replica";
    private static final String PEER = "arn:volute:replication::peer:kept";
    private static final String PLAIN = "arn:volute:replication::plain:plain";

    @Test
    void damagedVersionsAreReadFromTheTarget() throws Exception {
        byte[] large = Bytes.random(11, 3 << 20);
        byte[] small = Bytes.random(12, 300);
        byte[] old = Bytes.random(13, 60_000);
        byte[] overwritten = Bytes.random(15, 90_000);
        try (TemporaryStore work = TemporaryStore.create("replica-repair")) {
            Path data = work.path().resolve("source");
            int sourcePort = ServerProcess.freePort();
            int targetPort = ServerProcess.freePort();
            try (ServerProcess source =
                            ServerProcess.start(
                                    ReplicatedStores.options(work, "source", targetPort)
                                            .withPort(sourcePort));
                    ServerProcess target =
                            ServerProcess.start(
                                    ReplicatedStores.options(work, "target", sourcePort)
                                            .withPort(targetPort));
                    S3Client here = Clients.sync(source.endpoint());
                    S3Client there = Clients.sync(target.endpoint())) {
                Store store = new Store(source.endpoint(), here);
                for (String bucket : new String[] {"kept", "plain"}) {
                    ReplicatedStores.create(here, bucket);
                    ReplicatedStores.create(there, bucket);
                }
                ReplicatedStores.replicate(here, "kept", PEER);
                ReplicatedStores.replicate(here, "plain", PLAIN);
                store.put("kept", "large", large);
                store.put("kept", "small", small);
                String first = store.put("kept", "twice", old).versionId();
                store.put("kept", "twice", Bytes.random(16, 10));
                store.put("plain", "large", overwritten);
                store.put("plain", "kept", small);
                assertThat(new AdminAnswers(source.endpoint()).awaitReplication()).isZero();

                for (byte[] each : new byte[][] {large, small, old, overwritten}) {
                    DamageIT.damage(data, each);
                }
                assertThat(VoluteCommand.run(source, "check").code()).isEqualTo(3);

                // Somebody at the target has put other bytes of the same length there.
                there.putObject(
                        put -> put.bucket("plain").key("large"),
                        RequestBody.fromBytes(Bytes.random(17, 90_000)));
                Said refused =
                        VoluteCommand.run(source, "damage", "repair", "s3://plain/large", FROM);
                assertThat(refused.code()).as(refused.text()).isEqualTo(3);
                assertThat(refused.text()).contains("plain: the object there has another");

                Said one =
                        VoluteCommand.run(
                                source,
                                "damage",
                                "repair",
                                "s3://kept/twice",
                                "--version=" + first,
                                FROM);
                assertThat(one.code()).as(one.text()).isZero();
                assertThat(one.text()).contains("repaired, verified by content hash");
                assertThat(store.version("kept", "twice", first).asByteArray()).isEqualTo(old);

                Said all = VoluteCommand.run(source, "damage", "repair", "--all", FROM);
                assertThat(all.code()).as(all.text()).isEqualTo(3);
                assertThat(store.get("kept", "large")).isEqualTo(large);
                assertThat(store.get("kept", "small")).isEqualTo(small);
                assertThat(store.get("plain", "kept")).isEqualTo(small);

                there.putObject(
                        put -> put.bucket("plain").key("large"),
                        RequestBody.fromBytes(overwritten));
                Said rest = VoluteCommand.run(source, "damage", "repair", "--all", FROM);
                assertThat(rest.code()).as(rest.text()).isZero();
                assertThat(store.get("plain", "large")).isEqualTo(overwritten);
                assertThat(VoluteCommand.done(source, "check")).contains("0 problems");
                assertThat(
                                VoluteCommand.json(source, "audit", "--all", "--contents")
                                        .get("findings"))
                        .isIn(0L, List.of());
            }
        }
    }
}
