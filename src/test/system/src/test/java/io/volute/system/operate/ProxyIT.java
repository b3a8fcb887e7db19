package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ContainerEngine;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A client behind nginx, which runs with the configuration of docs/guide/proxy.md. */
class ProxyIT {
    private static final String PROXY = "127.0.0.2";
    private static final int PART = 5 << 20;

    @TempDir private static Path directory;
    private static ServerProcess server;
    private static ExternalClient.Running nginx;
    private static URI endpoint;

    @BeforeAll
    static void start() throws IOException {
        ExternalClient program = ExternalClient.orSkip(directory, List.of("nginx"), "-v");
        server =
                ServerProcess.start(
                        ServerProcess.Options.of(directory.resolve("data"))
                                .withEnvironment(
                                        Map.of(
                                                "VOLUTE_SERVER_TRUSTED_PROXIES",
                                                PROXY,
                                                "VOLUTE_LOG_ACCESS",
                                                directory.resolve("access.log").toString())));
        int port = ServerProcess.freePort();
        endpoint = URI.create("http://127.0.0.1:" + port);
        Files.writeString(directory.resolve("nginx.conf"), configuration(port));
        nginx =
                program.start(
                        "-p",
                        directory.toString(),
                        "-e",
                        directory.resolve("error.log").toString(),
                        "-c",
                        directory.resolve("nginx.conf").toString());
        String waiting =
                "until curl -sf " + endpoint + "/health/ready; do kill -0 $0 || exit 1; done";
        ExternalClient.orSkip(directory, List.of("sh"), "-c", "command -v curl")
                .run("-c", waiting, Long.toString(nginx.process().pid()))
                .orFail();
    }

    @AfterAll
    static void stop() {
        if (nginx != null) {
            nginx.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** The server of the page, on a port without TLS; its own address differs from the client's. */
    private static String configuration(int port) throws IOException {
        Path page = ContainerEngine.repository().resolve("docs/guide/proxy.md");
        Matcher block = Pattern.compile("(?s)```nginx\n(.*?)```").matcher(Files.readString(page));
        assertThat(block.find()).isTrue();
        String there =
                block.group(1)
                        .replaceAll("(?m)^ *ssl_.*\n", "")
                        .replace("listen 443 ssl;", "listen 127.0.0.1:" + port + ";")
                        .replace(
                                "proxy_pass http://127.0.0.1:9000;",
                                "proxy_pass " + server.endpoint() + "; proxy_bind " + PROXY + ";");
        return "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n"
                + "access_log off;\n"
                + List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi").stream()
                        .map(each -> each + "_temp_path temp-" + each + ";\n")
                        .reduce("", String::concat)
                + there
                + "}\n";
    }

    @Test
    void signaturesHoldForAllForms() {
        try (S3Client s3 = Clients.once(endpoint)) {
            Store store = new Store(endpoint, s3);
            String bucket = store.bucket();
            for (String key :
                    List.of(
                            "plain",
                            "a b+c%25/\u00E9\u20AC",
                            "//two//slashes",
                            "x/./y",
                            "~'()*!")) {
                s3.putObject(
                        put -> put.bucket(bucket).key(key).metadata(Map.of("under_score", "1")),
                        RequestBody.fromString(key));
                assertThat(store.text(bucket, key)).isEqualTo(key);
                assertThat(s3.headObject(head -> head.bucket(bucket).key(key)).metadata())
                        .containsEntry("under_score", "1");
            }
            assertThat(s3.listObjectsV2(list -> list.bucket(bucket).prefix("a b")).contents())
                    .extracting(S3Object::key)
                    .containsExactly("a b+c%25/\u00E9\u20AC");
        }
    }

    @Test
    void largeBodiesGoThrough() {
        try (S3Client s3 = Clients.once(endpoint)) {
            Store store = new Store(endpoint, s3);
            String bucket = store.bucket();
            byte[] body = Bytes.random(1, 3 * PART);
            store.put(bucket, "whole", body);
            assertThat(store.get(bucket, "whole")).isEqualTo(body);
            String id = s3.createMultipartUpload(to -> to.bucket(bucket).key("m")).uploadId();
            String tag =
                    s3.uploadPart(
                                    part -> part.bucket(bucket).key("m").uploadId(id).partNumber(1),
                                    RequestBody.fromBytes(body))
                            .eTag();
            CompletedPart part = CompletedPart.builder().partNumber(1).eTag(tag).build();
            s3.completeMultipartUpload(
                    all ->
                            all.bucket(bucket)
                                    .key("m")
                                    .uploadId(id)
                                    .multipartUpload(upload -> upload.parts(part)));
            assertThat(store.get(bucket, "m")).isEqualTo(body);
        }
    }

    @Test
    void theAddressIsThatOfTheClient() throws IOException {
        try (S3Client s3 = Clients.once(endpoint)) {
            s3.createBucket(create -> create.bucket("address-of-the-client"));
        }
        server.stop();
        assertThat(
                        Files.readString(directory.resolve("access.log"), StandardCharsets.UTF_8)
                                .lines())
                .filteredOn(line -> line.contains("address-of-the-client"))
                .isNotEmpty()
                .allMatch(line -> line.contains("127.0.0.1") && !line.contains(PROXY));
    }
}
