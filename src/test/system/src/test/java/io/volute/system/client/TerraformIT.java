package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Terraform manages buckets, users, groups, roles and policies by {@code iam.tf}. It needs its AWS
 * provider, from the registry or from the directory in {@code -Dvolute.terraformPlugins}.
 */
class TerraformIT {
    @Test
    void identitiesAreMadeChangedAndDestroyed() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("terraform")) {
            try (InputStream file = TerraformIT.class.getResourceAsStream("/iam.tf")) {
                Files.copy(file, work.path().resolve("iam.tf"));
            }
            ExternalClient terraform = terraform(work.path());
            try (ServerProcess server = ServerProcess.start(work);
                    S3Client root = Clients.sync(server.endpoint())) {
                terraform.with("TF_VAR_endpoint", server.endpoint().toString());
                apply(terraform, "apply", "s3:GetObject");
                AwsBasicCredentials carol =
                        AwsBasicCredentials.create(
                                output(terraform, "access_key"), output(terraform, "secret_key"));
                root.putObject(
                        put -> put.bucket("data").key("k"), RequestBody.fromString("content"));
                try (S3Client user = Clients.as(server.endpoint(), carol)) {
                    assertThat(
                                    user.getObjectAsBytes(get -> get.bucket("data").key("k"))
                                            .asUtf8String())
                            .isEqualTo("content");
                    refusedToPut(user);
                    // There is nothing to change.
                    assertThat(plan(terraform, "s3:GetObject")).isZero();
                    assertThat(plan(terraform, "s3:PutObject")).isEqualTo(2);
                    apply(terraform, "apply", "s3:PutObject");
                    assertThat(plan(terraform, "s3:PutObject")).isZero();
                    put(user);
                    root.deleteObject(delete -> delete.bucket("data").key("k"));
                    apply(terraform, "destroy", "s3:PutObject");
                    Store.refused(403, "InvalidAccessKeyId", user::listBuckets);
                }
                assertThat(root.listBuckets().buckets()).isEmpty();
            }
        }
    }

    private static void put(S3Client user) {
        user.putObject(put -> put.bucket("data").key("k"), RequestBody.fromString("other"));
    }

    private static void refusedToPut(S3Client user) {
        Store.refused(403, "AccessDenied", () -> put(user));
    }

    private static ExternalClient terraform(Path directory) throws IOException {
        ExternalClient terraform =
                ExternalClient.orSkip(directory, List.of("terraform"), "version")
                        .with("TF_IN_AUTOMATION", "1")
                        .with("CHECKPOINT_DISABLE", "1");
        List<String> init = new ArrayList<>(List.of("init", "-no-color", "-input=false"));
        String plugins = System.getProperty("volute.terraformPlugins", "");
        if (!plugins.isEmpty()) {
            init.add("-plugin-dir=" + plugins);
        }
        ExternalClient.Result result = terraform.run(init.toArray(String[]::new));
        assumeThat(result.code())
                .as("SKIPPED: Terraform has no AWS provider here: " + result.output())
                .isZero();
        return terraform;
    }

    private static void apply(ExternalClient terraform, String command, String action)
            throws IOException {
        terraform
                .run(command, "-auto-approve", "-no-color", "-input=false", "-var=action=" + action)
                .orFail();
    }

    /** Returns 0 when nothing would change, and 2 when something would. */
    private static int plan(ExternalClient terraform, String action) throws IOException {
        return terraform
                .run(
                        "plan",
                        "-detailed-exitcode",
                        "-no-color",
                        "-input=false",
                        "-var=action=" + action)
                .code();
    }

    private static String output(ExternalClient terraform, String name) throws IOException {
        List<String> lines = terraform.run("output", "-raw", name).orFail().lines().toList();
        return lines.getLast().strip();
    }
}
