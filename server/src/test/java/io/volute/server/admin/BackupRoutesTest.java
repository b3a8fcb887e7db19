package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackupRoutesTest extends AdminTestCase {
    private static final String PATH = "/_volute/v1/backup";

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
        Answer refused = bed.ask(carol, AdminRoute.START_BACKUP, Map.of("to", "/b"));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(bed.backups.begun).isEmpty();
        assertThat(bed.ask(carol, AdminRoute.START_BACKUP, Map.of()).status()).isEqualTo(202);
        assertThat(bed.backups.begun).containsExactly("/configured");
        assertThat(bed.ask(carol, AdminRoute.BACKUP, Map.of()).status()).isEqualTo(200);
    }
}
