package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.FileTree;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** Signatures of version 2 as clients make them. Boto3's are in {@code boto3_operations.py}. */
class SignatureV2IT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ExternalClient s3cmd(Path directory, ServerProcess server) throws IOException {
        String host = server.endpoint().getAuthority();
        Path configuration = directory.resolve("s3cfg");
        Files.writeString(
                configuration,
                """
                [default]
                access_key = %s
                secret_key = %s
                host_base = %s
                host_bucket = %s
                use_https = False
                """
                        .formatted(ServerProcess.ACCESS_KEY, ServerProcess.SECRET_KEY, host, host));
        ExternalClient s3cmd = ExternalClient.orSkip(directory, List.of("s3cmd"), "--version");
        return s3cmd.with("S3CMD_CONFIG", configuration.toString());
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HTTP.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    private static void put(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            store.create("bucket");
            store.put("bucket", "a b/c+d", "content");
        }
    }

    private static void readAndTamper(String url) throws Exception {
        assertThat(url).contains("AWSAccessKeyId=").contains("Signature=");
        assertThat(get(url).body()).isEqualTo("content");
        for (String more : List.of("&acl", "&versionId=null", "&response-content-type=text/html")) {
            assertThat(get(url + more).statusCode()).as(more).isEqualTo(403);
        }
        assertThat(get(url.replace("/c", "/e")).statusCode()).isEqualTo(403);
    }

    @Test
    void s3cmdPresigns() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("v2-s3cmd");
                ServerProcess server = ServerProcess.start(work)) {
            put(server);
            ExternalClient s3cmd = s3cmd(work.path(), server);
            readAndTamper(s3cmd.run("signurl", "s3://bucket/a b/c+d", "+60").orFail().strip());
        }
    }

    @Test
    void rcloneSignsHeadersWhenAllAreTaken() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("v2-all");
                ServerProcess server =
                        ServerProcess.start(work, Map.of("VOLUTE_S3_SIGNATURE_V2", "all"))) {
            Path tree = Files.createDirectory(work.path().resolve("tree"));
            FileTree.make(tree, 20, 3);
            ExternalClient rclone =
                    ExternalClient.orSkip(work.path(), List.of("rclone"), "version")
                            .with("RCLONE_CONFIG", work.path().resolve("rclone.conf").toString())
                            .with("RCLONE_CONFIG_V_TYPE", "s3")
                            .with("RCLONE_CONFIG_V_PROVIDER", "Other")
                            .with("RCLONE_CONFIG_V_ACCESS_KEY_ID", ServerProcess.ACCESS_KEY)
                            .with("RCLONE_CONFIG_V_SECRET_ACCESS_KEY", ServerProcess.SECRET_KEY)
                            .with("RCLONE_CONFIG_V_V2_AUTH", "true")
                            .with("RCLONE_CONFIG_V_ENDPOINT", server.endpoint().toString());
            Files.createFile(work.path().resolve("rclone.conf"));
            rclone.run("copy", "tree", "V:bucket/in to").orFail();
            rclone.run("check", "--download", "tree", "V:bucket/in to").orFail();
            rclone.run("purge", "V:bucket").orFail();
        }
    }

    @Test
    void s3cmdSignsHeadersWhenAllAreTaken() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("v2-headers");
                ServerProcess server =
                        ServerProcess.start(work, Map.of("VOLUTE_S3_SIGNATURE_V2", "all"))) {
            put(server);
            ExternalClient s3cmd = s3cmd(work.path(), server);
            assertThat(s3cmd.run("--signature-v2", "ls", "s3://bucket/a b/").orFail())
                    .contains("a b/c+d");
            s3cmd.run("--signature-v2", "put", "s3cfg", "s3://bucket/ü").orFail();
            s3cmd.run("--signature-v2", "get", "s3://bucket/ü", "back").orFail();
            assertThat(work.path().resolve("back"))
                    .hasSameBinaryContentAs(work.path().resolve("s3cfg"));
            s3cmd.run("--signature-v2", "rb", "--recursive", "--force", "s3://bucket").orFail();
        }
    }
}
