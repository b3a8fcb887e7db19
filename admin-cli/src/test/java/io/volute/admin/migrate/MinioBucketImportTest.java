package io.volute.admin.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Imports an empty bucket of a server that answers as MinIO does, and that is the target, too. */
class MinioBucketImportTest {
    private static final String QUOTA = "GET /minio/admin/v3/get-bucket-quota";

    @RegisterExtension private final FakeServer server = new FakeServer();

    private Outcome run() {
        server.named("MinIO").answer("HEAD /photos", "");
        // All settings and the listing: a document that sets nothing.
        server.answer("GET /photos", "<Nothing/>");
        server.answer("PUT /photos", "");
        server.with(
                Map.of(
                        "VOLUTE_ACCESS_KEY", "ROOT",
                        "VOLUTE_SECRET_KEY", "rootsecret",
                        "SOURCE_ACCESS_KEY", "minioadmin",
                        "SOURCE_SECRET_KEY", "minioadmin"));
        return server.run("import", "--from", "s3://photos", "--from-endpoint", server.endpoint());
    }

    @Test
    void aQuotaIsReported() {
        server.answer(QUOTA, "{\"quota\": 1048576, \"quotatype\": \"hard\"}");
        Outcome outcome = run();
        assertThat(outcome.out() + outcome.err()).contains("s3://photos: quota: it is 1048576");
        assertThat(outcome.code()).isEqualTo(3);
    }

    @Test
    void noQuotaIsNoProblem() {
        server.answer(QUOTA, "{\"quota\": 0}");
        Outcome outcome = run();
        assertThat(outcome.out()).as(outcome.err()).doesNotContain("quota");
        assertThat(outcome.code()).isZero();
        // The one of the target: all ACLs of MinIO say the same.
        assertThat(server.asked()).filteredOn(each -> each.contains("?acl")).hasSize(1);
    }

    /** Keys without the rights of an administrator do not see quotas. */
    @Test
    void anUnreadableQuotaIsReported() {
        server.answer(QUOTA, 403, "<Error><Code>AccessDenied</Code></Error>");
        assertThat(run().out()).contains("quota: cannot be read", "AccessDenied");
    }
}
