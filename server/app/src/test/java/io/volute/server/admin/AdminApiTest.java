package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.Routes;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The routes of backups and of replication. */
class AdminApiTest extends AdminTestCase {
    private static final String PATH = "/_volute/v1/backup";
    private static final String REPLICATION = "/_volute/v1/replication";
    private static final BucketName PHOTOS = new BucketName("photos");

    @Test
    void beginsOneAtATime() throws IOException {
        assertThat(bed.post(PATH, Map.of("to", "/b")).status()).isEqualTo(202);
        bed.backups.begins = false;
        Answer refused = bed.post(PATH, Map.of("to", "/b"));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("BackupInProgress");
    }

    @Test
    void refusesATargetThatCannotBeOne() throws IOException {
        Answer refused = bed.post(PATH, Map.of("to", "b"));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.document().get("message").toString()).contains("absolute path");
        assertThat(bed.backups.begun).isEmpty();
    }

    @Test
    void showsTheLatest() throws IOException {
        assertThat(bed.get(PATH, Map.of()).document())
                .containsEntry("state", "failed")
                .containsEntry("failure", "the disk is full")
                .containsEntry("leftOut", List.of("keys/provenance.key"));
    }

    /** Everything could be copied to a place that the attacker reads. */
    @Test
    void onlyTheRootNamesATarget() throws IOException {
        assertThat(bed.post("/_volute/v1/users", Map.of("name", "carol")).status()).isEqualTo(200);
        Map<String, Object> key = bed.post("/_volute/v1/keys", Map.of("user", "carol")).document();
        RequestSigner carol =
                new RequestSigner(
                        key.get("accessKey").toString(),
                        key.get("secretKey").toString(),
                        "us-east-1");
        Map<String, Object> all =
                Map.of("Effect", "Allow", "Action", List.of("volute:*"), "Resource", "*");
        Map<String, Object> policy =
                Map.of(
                        "user",
                        "carol",
                        "policy",
                        "p",
                        "document",
                        Map.of("Statement", List.of(all)));
        assertThat(bed.put("/_volute/v1/policies/inline", policy).status()).isEqualTo(200);
        Answer refused = bed.ask(carol, Routes.START_BACKUP, Map.of("to", "/b"));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(bed.backups.begun).isEmpty();
        assertThat(bed.ask(carol, Routes.START_BACKUP, Map.of()).status()).isEqualTo(202);
        assertThat(bed.backups.begun).containsExactly("/configured");
        assertThat(bed.ask(carol, Routes.BACKUP, Map.of()).status()).isEqualTo(200);
    }

    private Answer startReplication(Map<String, Object> more) throws IOException {
        Map<String, Object> asked = new HashMap<>(more);
        asked.put("bucket", PHOTOS.value());
        return bed.post(REPLICATION, asked);
    }

    @Test
    void aRunForExistingObjectsNeedsAConfiguration() throws IOException {
        assertThat(startReplication(Map.of()).code()).isEqualTo("NoSuchBucket");
        bed.store.createBucket(Caller.ofTask("owner", "test"), PHOTOS);
        Answer refused = startReplication(Map.of());
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).contains("put-bucket-replication");
        bed.store.settings().setDocument(PHOTOS, BucketDocument.REPLICATION, Optional.of("<a/>"));
        assertThat(startReplication(Map.of()).status()).isEqualTo(202);
        assertThat(startReplication(Map.of("rate", 0)).message()).contains("from 1 to");
        assertThat(startReplication(Map.of("rate", 100_001)).message()).contains("from 1 to");
    }

    @Test
    void oneRunOfABucketAtATime() throws IOException {
        bed.store.createBucket(Caller.ofTask("owner", "test"), PHOTOS);
        bed.store.settings().setDocument(PHOTOS, BucketDocument.REPLICATION, Optional.of("<a/>"));
        // The replication of the test refuses such a run.
        Answer refused = startReplication(Map.of("again", true));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("ReplicationInProgress");
    }

    @Test
    void countsTheRefusedChangesThatAreSentAgainOrForgotten() throws IOException {
        Map<String, Object> bucket = Map.of("bucket", PHOTOS.value());
        assertThat(bed.post(REPLICATION + "/retry", bucket).document())
                .containsEntry("changes", 2L);
        assertThat(bed.post(REPLICATION + "/forget", bucket).document())
                .containsEntry("changes", 3L);
    }
}
