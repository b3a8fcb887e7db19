package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.storage.BlobReader;
import io.volute.storage.report.Damage;
import io.volute.versioning.Damages;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replicas in this store are read with the rights that the configurer of the replication has. */
class ReplicasTest extends S3TestCase {
    private static final String HERE = "replicate:local";

    private final Sources sources = new Sources(bed.store(), new UUID(0, 1), Optional.empty());
    private final ConfigurerRights rights = ReplicationRightsTest.rights(bed);
    private final Replicas replicas = new Replicas(sources, rights, Map.of());

    @AfterEach
    void takeAll() throws IOException {
        bed.store().outbox().remove(HERE, bed.store().outbox().next(HERE, 100));
    }

    private static String versioned(TestSigner owner) {
        String name = bed.freshName();
        assertThat(bed.request("PUT", "/" + name).sendAs(owner).status()).isEqualTo(200);
        TestResponse set =
                bed.request("PUT", "/" + name + "?versioning")
                        .body(
                                "<VersioningConfiguration><Status>Enabled</Status>"
                                        + "</VersioningConfiguration>")
                        .sendAs(owner);
        assertThat(set.status()).isEqualTo(200);
        return name;
    }

    private static void configured(String from, String to) {
        TestResponse set =
                bed.request("PUT", "/" + from + "?replication")
                        .body(
                                "<ReplicationConfiguration><Role>any</Role><Rule><Priority>1"
                                        + "</Priority><Filter><Prefix>k</Prefix></Filter><Status>"
                                        + "Enabled</Status><DeleteMarkerReplication><Status>"
                                        + "Enabled</Status></DeleteMarkerReplication><Destination>"
                                        + "<Bucket>arn:aws:s3:::"
                                        + to
                                        + "</Bucket></Destination></Rule>"
                                        + "</ReplicationConfiguration>")
                        .sendAs(bed.bob());
        assertThat(set.status()).as(set.text()).isEqualTo(200);
    }

    private static void allow(String bucket, String actions) {
        String text =
                ("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Principal':{'AWS':"
                                + "'arn:aws:iam::000000000000:user/bob'},'Action':["
                                + actions
                                + "],'Resource':['BUCKET','BUCKET/*']}]}")
                        .replace('\'', '"')
                        .replace("BUCKET", "arn:aws:s3:::" + bucket);
        TestResponse set =
                bed.request("PUT", "/" + bucket + "?policy").body(text).sendAs(bed.alice());
        assertThat(set.status()).as(set.text()).isEqualTo(204);
    }

    private static Damages.State put(String bucket, String key, String text) {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/" + key).body(text).sendAs(bed.bob());
        assertThat(put.status()).isEqualTo(200);
        String id = put.header("x-amz-version-id");
        var number = (VersionSelector.Numbered) VersionId.parse(id).orElseThrow();
        return new Damages.State(
                Damages.Use.NONCURRENT,
                bucket,
                key,
                id,
                number.number(),
                text.length(),
                Instant.EPOCH,
                "",
                new Damage.User(1, new byte[0]));
    }

    private void deliver() throws IOException {
        StoreSink sink = new StoreSink(sources, rights, () -> S3TestBed.NOW);
        List<Message> all = bed.store().outbox().next(HERE, 100);
        for (Message each : all) {
            assertThat(sink.apply(ReplicationMessage.decode(each.content().orElseThrow())))
                    .isEmpty();
        }
        bed.store().outbox().remove(HERE, all);
    }

    private String read(Damages.State state) throws IOException {
        try (BlobReader reader = replicas.open(state)) {
            ByteBuffer all = ByteBuffer.allocate(reader.bufferBytes(0));
            reader.read(0, reader.bytes(), all);
            return StandardCharsets.UTF_8.decode(all).toString();
        }
    }

    private void assertRefused(Damages.State state, String why) {
        assertThatThrownBy(() -> read(state))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    @Test
    void theSameVersionIsReadWithTheRightsOfTheConfigurer() throws IOException {
        String copy = versioned(bed.alice());
        allow(copy, "'s3:*'");
        String from = versioned(bed.bob());
        configured(from, copy);
        Damages.State first = put(from, "k", "first");
        Damages.State second = put(from, "k", "later");
        assertRefused(first, "it has no replica of this version");
        deliver();
        assertThat(read(first)).isEqualTo("first");
        assertThat(read(second)).isEqualTo("later");
        assertRefused(put(from, "other", "x"), "no enabled replication rule");
        // The right of then counts for nothing.
        allow(copy, "'s3:PutObject','s3:ReplicateObject'");
        assertRefused(first, "may not s3:GetObjectVersion");
        allow(copy, "'s3:GetObjectVersion'");
        assertThat(read(first)).isEqualTo("first");
    }

    @Test
    void whatIsNotTheVersionIsRefused() throws IOException {
        String copy = versioned(bed.alice());
        allow(copy, "'s3:*'");
        String from = versioned(bed.bob());
        configured(from, copy);
        Damages.State state = put(from, "k", "first");
        // Alice claims to have it.
        TestResponse claimed =
                bed.request("PUT", "/" + copy + "/k")
                        .header(
                                "x-volute-replica",
                                new UUID(0, 1) + "/" + from + "/" + state.version())
                        .body("wrong")
                        .send();
        assertThat(claimed.status()).as(claimed.text()).isEqualTo(200);
        assertRefused(state, "another length or ETag");
        bed.request("DELETE", "/" + from + "?replication").sendAs(bed.bob());
        assertRefused(state, "no enabled replication rule");
    }
}
