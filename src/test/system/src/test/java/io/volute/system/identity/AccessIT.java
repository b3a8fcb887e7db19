package io.volute.system.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Users, policies and sessions as people meet them: the command, the AWS CLI and the SDK. */
class AccessIT {
    private static final String READ =
            """
            {"Version": "2012-10-17", "Statement": [
              {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::shared/*"},
              {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"],
               "Resource": "arn:aws:s3:::shared/home/${aws:username}/*"}]}
            """;

    private static final String PUBLIC =
            """
            {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": "*",
             "Action": "s3:GetObject", "Resource": "arn:aws:s3:::shared/public/*"}}
            """;

    private static AwsBasicCredentials carol(ServerProcess server, Path work) throws Exception {
        Path policy = Files.writeString(work.resolve("read.json"), READ);
        VoluteCommand.json(server, "user", "add", "carol");
        VoluteCommand.json(server, "policy", "put", "read", policy.toString());
        VoluteCommand.json(server, "policy", "attach", "read", "--user", "carol");
        Map<String, Object> key = VoluteCommand.json(server, "key", "add", "carol");
        return AwsBasicCredentials.create(
                (String) key.get("accessKey"), (String) key.get("secretKey"));
    }

    @Test
    void usersAndPoliciesOutliveAKill() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("access")) {
            ServerProcess.Options options = ServerProcess.Options.of(work.data());
            AwsBasicCredentials carol;
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client root = Clients.sync(server.endpoint())) {
                root.createBucket(create -> create.bucket("shared"));
                root.putObject(
                        put -> put.bucket("shared").key("k"), RequestBody.fromString("content"));
                root.putObject(
                        put -> put.bucket("shared").key("public/k"),
                        RequestBody.fromString("for all"));
                carol = carol(server, work.path());
                root.putBucketPolicy(put -> put.bucket("shared").policy(PUBLIC));
                check(server.endpoint(), carol);
                server.kill();
            }
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client root = Clients.sync(server.endpoint())) {
                check(server.endpoint(), carol);
                assertThat(root.getBucketPolicy(get -> get.bucket("shared")).policy())
                        .isEqualTo(PUBLIC);
                assertThat(
                                root.getBucketPolicyStatus(get -> get.bucket("shared"))
                                        .policyStatus()
                                        .isPublic())
                        .isTrue();
                root.putPublicAccessBlock(
                        put ->
                                put.bucket("shared")
                                        .publicAccessBlockConfiguration(
                                                block -> block.restrictPublicBuckets(true)));
                try (S3Client nobody =
                        Clients.as(server.endpoint(), AnonymousCredentialsProvider.create())) {
                    refused(nobody, "public/k");
                }
                VoluteCommand.json(server, "key", "disable", carol.accessKeyId());
                try (S3Client user = Clients.as(server.endpoint(), carol)) {
                    Store.refused(
                            403,
                            "InvalidAccessKeyId",
                            () -> user.getObject(get -> get.bucket("shared").key("k")));
                }
                assertThat(VoluteCommand.run(server, "user", "list").text())
                        .contains("carol")
                        .contains("(" + carol.accessKeyId() + ")");
            }
        }
    }

    /** Checks that carol and everyone have exactly the permissions granted to them. */
    private static void check(URI endpoint, AwsBasicCredentials carol) {
        try (S3Client user = Clients.as(endpoint, carol);
                S3Client nobody = Clients.as(endpoint, AnonymousCredentialsProvider.create())) {
            assertThat(text(user, "k")).isEqualTo("content");
            user.putObject(
                    put -> put.bucket("shared").key("home/carol/x"), RequestBody.fromString("x"));
            Store.refused(
                    403,
                    "AccessDenied",
                    () ->
                            user.putObject(
                                    put -> put.bucket("shared").key("home/dave/x"),
                                    RequestBody.fromString("x")));
            Store.refused(
                    403,
                    "AccessDenied",
                    () -> user.deleteObject(delete -> delete.bucket("shared").key("k")));
            Store.refused(
                    403, "AccessDenied", () -> user.createBucket(create -> create.bucket("mine")));
            assertThat(text(nobody, "public/k")).isEqualTo("for all");
            refused(nobody, "k");
        }
    }

    private static String text(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket("shared").key(key)).asUtf8String();
    }

    private static void refused(S3Client s3, String key) {
        Store.refused(
                403, "AccessDenied", () -> s3.getObject(get -> get.bucket("shared").key(key)));
    }

    @Test
    void theAwsCliSetsPoliciesAndMakesSessions() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("sts");
                ServerProcess server = ServerProcess.start(work);
                S3Client root = Clients.sync(server.endpoint())) {
            root.createBucket(create -> create.bucket("shared"));
            root.putObject(
                    put -> put.bucket("shared").key("public/k"), RequestBody.fromString("for all"));
            root.putObject(put -> put.bucket("shared").key("k"), RequestBody.fromString("content"));
            AwsBasicCredentials carol = carol(server, work.path());
            ExternalClient aws = aws(work.path(), server.endpoint());
            Path policy = Files.writeString(work.path().resolve("public.json"), PUBLIC);
            aws.run(
                            "s3api",
                            "put-bucket-policy",
                            "--bucket",
                            "shared",
                            "--policy",
                            "file://" + policy)
                    .orFail();
            assertThat(
                            aws.run("s3", "cp", "--no-sign-request", "s3://shared/public/k", "-")
                                    .orFail())
                    .contains("for all");
            ExternalClient user =
                    aws(work.path(), server.endpoint())
                            .with("AWS_ACCESS_KEY_ID", carol.accessKeyId())
                            .with("AWS_SECRET_ACCESS_KEY", carol.secretAccessKey());
            assertThat(user.run("sts", "get-caller-identity").orFail()).contains("user/carol");
            String[] session =
                    user.run(
                                    "sts",
                                    "assume-role",
                                    "--role-arn",
                                    "arn:aws:iam::000000000000:user/carol",
                                    "--role-session-name",
                                    "nightly",
                                    "--policy",
                                    READ.replace("s3:PutObject", "s3:GetObjectVersion"),
                                    "--query",
                                    "Credentials.[AccessKeyId,SecretAccessKey,SessionToken]",
                                    "--output",
                                    "text")
                            .orFail()
                            .strip()
                            .split("\\s+");
            checkSession(server, session);
        }
    }

    private static ExternalClient aws(Path directory, URI endpoint) throws IOException {
        return ExternalClient.orSkip(directory, List.of("aws"), "--version")
                .with("AWS_ENDPOINT_URL", endpoint.toString());
    }

    private static void checkSession(ServerProcess server, String[] keys) throws Exception {
        try (S3Client s3 =
                Clients.as(
                        server.endpoint(),
                        AwsSessionCredentials.create(keys[0], keys[1], keys[2]))) {
            assertThat(text(s3, "k")).isEqualTo("content");
            Store.refused(
                    403,
                    "AccessDenied",
                    () ->
                            s3.putObject(
                                    put -> put.bucket("shared").key("home/carol/x"),
                                    RequestBody.fromString("x")));
        }
        URI url;
        try (S3Presigner presigner =
                S3Presigner.builder()
                        .endpointOverride(server.endpoint())
                        .region(Region.US_EAST_1)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(
                                        AwsSessionCredentials.create(keys[0], keys[1], keys[2])))
                        .serviceConfiguration(
                                S3Configuration.builder().pathStyleAccessEnabled(true).build())
                        .build()) {
            url =
                    URI.create(
                            presigner
                                    .presignGetObject(
                                            presign ->
                                                    presign.signatureDuration(Duration.ofMinutes(5))
                                                            .getObjectRequest(
                                                                    get ->
                                                                            get.bucket("shared")
                                                                                    .key("k")))
                                    .url()
                                    .toString());
        }
        // The token is in the query.
        assertThat(url.toString()).contains("X-Amz-Security-Token");
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(
                            http.send(
                                            HttpRequest.newBuilder(url).build(),
                                            HttpResponse.BodyHandlers.ofString())
                                    .body())
                    .isEqualTo("content");
        }
        // A session is an actor of its own.
        assertThat(VoluteCommand.run(server, "actors", "--access-key", keys[0]).text())
                .contains("session nightly")
                .contains("carol");
    }
}
