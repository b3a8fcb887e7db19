package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.RawRequest.Chunk;
import io.volute.system.RawRequest.Chunked;
import io.volute.system.ServerProcess;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Tests that the server ignores unsigned headers and refuses wrongly signed requests. Rows of the
 * list of CVEs in docs/design/threat-model.md bear their numbers.
 */
@ExtendWith(SharedServer.class)
class UnsignedHeaderIT {
    private static final String[][] HEADERS = {
        {"x-amz-copy-source", "/SOURCE/secret"},
        {"x-amz-copy-source-if-match", "\"x\""},
        {"x-amz-acl", "public-read"},
        {"x-amz-grant-read", "uri=\"http://acs.amazonaws.com/groups/global/AllUsers\""},
        {"x-amz-grant-full-control", "id=\"anyone\""},
        {"x-amz-tagging", "planted=1"},
        {"x-amz-meta-planted", "1"},
        {"x-amz-object-lock-mode", "COMPLIANCE"},
        {"x-amz-object-lock-retain-until-date", "2099-01-01T00:00:00Z"},
        {"x-amz-object-lock-legal-hold", "ON"},
        {"x-amz-bypass-governance-retention", "true"},
        {"x-amz-server-side-encryption", "AES256"},
        {"x-amz-server-side-encryption-customer-algorithm", "AES256"},
        {"x-amz-server-side-encryption-customer-key", "AAAA"},
        {"x-amz-server-side-encryption-aws-kms-key-id", "key"},
        {"x-amz-website-redirect-location", "/elsewhere"},
        {"x-amz-storage-class", "GLACIER"},
        {"x-amz-metadata-directive", "REPLACE"},
        {"x-amz-tagging-directive", "REPLACE"},
        {"x-amz-security-token", "token"},
        {"x-amz-expected-bucket-owner", "other"},
        {"x-amz-request-payer", "requester"},
        {"x-amz-mfa", "serial 123456"},
        {"x-amz-checksum-sha256", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
        {"x-amz-write-offset-bytes", "0"},
        {"x-amz-rename-source", "/SOURCE/secret"},
        {"X-AMZ-Copy-Source", "/SOURCE/secret"},
    };

    private final Store store;
    private final S3Client s3;

    UnsignedHeaderIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private enum Kind {
        HEADER,
        PRESIGNED
    }

    private Answer send(Kind kind, RawRequest request, String method) throws IOException {
        byte[] message =
                switch (kind) {
                    case HEADER -> request.signed(store.endpoint());
                    case PRESIGNED -> request.presigned(store.endpoint());
                };
        return RawConnection.exchange(store.endpoint(), message, method);
    }

    /** CVE-2026-54330 (Ceph RGW), GHSA-g8w9-qw9q-fghr and GHSA-xm99-m3gq-83g8 (RustFS). */
    @TestFactory
    Stream<DynamicTest> cve202654330AnUnsignedAmzHeaderIsRefusedAndHasNoEffect() {
        String source = store.bucket();
        store.put(source, "secret", "the secret");
        List<DynamicTest> tests = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (String[] header : HEADERS) {
                String value = header[1].replace("SOURCE", source);
                tests.add(
                        DynamicTest.dynamicTest(
                                kind + " PUT with unsigned " + header[0],
                                () -> refusesPut(kind, store.bucket(), header[0], value)));
            }
        }
        return tests.stream();
    }

    private void refusesPut(Kind kind, String bucket, String name, String value)
            throws IOException {
        RawRequest request =
                RawRequest.of("PUT", "/" + bucket + "/victim").body("x").unsigned(name, value);
        Answer answer = send(kind, request, "PUT");
        assertThat(answer.status()).as(answer.body()).isEqualTo(403);
        assertThat(answer.body()).doesNotContain("the secret");
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> otherOperationsRefuseThemToo() {
        String source = store.bucket();
        store.put(source, "secret", "the secret");
        String bucket = store.bucket();
        store.put(bucket, "key", "kept");
        String upload =
                s3.createMultipartUpload(create -> create.bucket(bucket).key("parts")).uploadId();
        record Case(String name, RawRequest request, String method) {}
        List<DynamicTest> tests = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            List<Case> cases =
                    List.of(
                            new Case(
                                    "UploadPart",
                                    RawRequest.of("PUT", "/" + bucket + "/parts")
                                            .query("partNumber", "1")
                                            .query("uploadId", upload)
                                            .unsigned(
                                                    "x-amz-copy-source", "/" + source + "/secret"),
                                    "PUT"),
                            new Case(
                                    "CreateMultipartUpload",
                                    RawRequest.of("POST", "/" + bucket + "/parts2")
                                            .query("uploads", "")
                                            .unsigned("x-amz-meta-planted", "1"),
                                    "POST"),
                            new Case(
                                    "DeleteObject",
                                    RawRequest.of("DELETE", "/" + bucket + "/key")
                                            .unsigned("x-amz-bypass-governance-retention", "true"),
                                    "DELETE"),
                            new Case(
                                    "CreateBucket",
                                    RawRequest.of("PUT", "/never-made-bucket")
                                            .unsigned("x-amz-acl", "public-read-write"),
                                    "PUT"),
                            new Case(
                                    "GetObject",
                                    RawRequest.of("GET", "/" + bucket + "/key")
                                            .unsigned(
                                                    "x-amz-server-side-encryption-customer-key",
                                                    "AAAA"),
                                    "GET"));
            for (Case each : cases) {
                tests.add(
                        DynamicTest.dynamicTest(
                                kind + " " + each.name(),
                                () -> {
                                    Answer answer = send(kind, each.request(), each.method());
                                    assertThat(answer.status()).as(answer.body()).isEqualTo(403);
                                    assertThat(store.text(bucket, "key")).isEqualTo("kept");
                                    assertThat(
                                                    s3.listParts(
                                                                    list ->
                                                                            list.bucket(bucket)
                                                                                    .key("parts")
                                                                                    .uploadId(
                                                                                            upload))
                                                            .parts())
                                            .isEmpty();
                                    assertThat(
                                                    s3.listMultipartUploads(
                                                                    list -> list.bucket(bucket))
                                                            .uploads())
                                            .hasSize(1);
                                }));
            }
        }
        return tests.stream();
    }

    @Test
    void theSameHeadersSignedAreObeyed() throws IOException {
        String bucket = store.bucket();
        store.put(bucket, "source", "copied");
        for (Kind kind : Kind.values()) {
            String key = "target-" + kind;
            Answer copied =
                    send(
                            kind,
                            RawRequest.of("PUT", "/" + bucket + "/" + key)
                                    .header("x-amz-copy-source", "/" + bucket + "/source"),
                            "PUT");
            assertThat(copied.status()).as(copied.body()).isEqualTo(200);
            assertThat(store.text(bucket, key)).isEqualTo("copied");
            Answer marked =
                    send(
                            kind,
                            RawRequest.of("PUT", "/" + bucket + "/" + key)
                                    .header("x-amz-meta-colour", "blue")
                                    .body("body"),
                            "PUT");
            assertThat(marked.status()).as(marked.body()).isEqualTo(200);
            assertThat(s3.headObject(head -> head.bucket(bucket).key(key)).metadata())
                    .containsEntry("colour", "blue");
        }
    }

    /** CVE-2026-40344 and CVE-2026-41145 (MinIO): a streaming mode without its own check. */
    @Test
    void cve202640344StreamingModesDoNotReplaceTheSignature() throws IOException {
        String bucket = store.bucket();
        String trailer = "1\r\nx\r\n0\r\nx-amz-checksum-crc32:jNhLYQ==\r\n\r\n";
        for (String mode :
                List.of(
                        "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                        "UNSIGNED-PAYLOAD")) {
            RawRequest anonymous =
                    RawRequest.of("PUT", "/" + bucket + "/key")
                            .header("x-amz-content-sha256", mode)
                            .header("x-amz-decoded-content-length", "1")
                            .header("x-amz-trailer", "x-amz-checksum-crc32")
                            .body(trailer);
            assertThat(
                            RawConnection.exchange(
                                            store.endpoint(),
                                            anonymous.anonymous(store.endpoint()),
                                            "PUT")
                                    .status())
                    .as("no signature, %s", mode)
                    .isEqualTo(403);
            RawRequest forged =
                    RawRequest.of("PUT", "/" + bucket + "/key")
                            .credentials(ServerProcess.ACCESS_KEY, "not the secret")
                            .payloadHash(mode)
                            .header("x-amz-decoded-content-length", "1")
                            .header("x-amz-trailer", "x-amz-checksum-crc32")
                            .body(trailer);
            Answer answer = send(Kind.HEADER, forged, "PUT");
            assertThat(answer.status()).as("forged, %s", mode).isEqualTo(403);
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    /** CVE-2025-31489 (MinIO): credentials in the query, signature looked for in the header. */
    @Test
    void cve202531489TwoKindsOfCredentialsAreRefused() throws IOException {
        String bucket = store.bucket();
        String head = RawRequest.of("PUT", "/" + bucket + "/key").signedHead(store.endpoint());
        String authorization =
                head.lines()
                        .filter(line -> line.startsWith("Authorization:"))
                        .findFirst()
                        .orElseThrow()
                        .substring("Authorization: ".length());
        RawRequest both =
                RawRequest.of("PUT", "/" + bucket + "/key")
                        .unsigned("Authorization", authorization)
                        .body("x");
        assertThat(send(Kind.PRESIGNED, both, "PUT").status()).isIn(400, 403);
        RawRequest hollow =
                RawRequest.of("PUT", "/" + bucket + "/key")
                        .query("X-Amz-Credential", ServerProcess.ACCESS_KEY + "/x")
                        .body("x");
        assertThat(
                        RawConnection.exchange(
                                        store.endpoint(), hollow.anonymous(store.endpoint()), "PUT")
                                .status())
                .isIn(400, 403);
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    @Test
    void alteredScopesTimesAndKeysAreRefusedByName() throws IOException {
        String bucket = store.bucket();
        String path = "/" + bucket + "/key";
        Instant now = Instant.now();
        record Case(RawRequest request, Kind kind, String code) {}
        List<Case> cases =
                List.of(
                        new Case(
                                put(path).credentials("AKUNKNOWN", "x"),
                                Kind.HEADER,
                                "InvalidAccessKeyId"),
                        new Case(
                                put(path).credentials(ServerProcess.ACCESS_KEY, "x"),
                                Kind.HEADER,
                                "SignatureDoesNotMatch"),
                        new Case(
                                put(path).credentials(ServerProcess.ACCESS_KEY, "x"),
                                Kind.PRESIGNED,
                                "SignatureDoesNotMatch"),
                        new Case(
                                put(path).at(now.minus(Duration.ofMinutes(16))),
                                Kind.HEADER,
                                "RequestTimeTooSkewed"),
                        new Case(
                                put(path).at(now.plus(Duration.ofMinutes(16))),
                                Kind.HEADER,
                                "RequestTimeTooSkewed"),
                        new Case(
                                put(path).at(now.minus(Duration.ofMinutes(6))),
                                Kind.PRESIGNED,
                                "AccessDenied"),
                        new Case(put(path).scope("us-east-1", "iam"), Kind.HEADER, ""),
                        new Case(put(path).scope("mars-1", "s3"), Kind.HEADER, ""),
                        new Case(
                                put(path).expires(Duration.ofSeconds(604_801)),
                                Kind.PRESIGNED,
                                "AuthorizationQueryParametersError"),
                        new Case(
                                put(path).expires(Duration.ofSeconds(-1)),
                                Kind.PRESIGNED,
                                "AuthorizationQueryParametersError"));
        for (Case each : cases) {
            Answer answer = send(each.kind(), each.request(), "PUT");
            assertThat(answer.status()).as(answer.body()).isIn(400, 403);
            assertThat(answer.body()).contains("<Code>" + each.code());
            assertThat(answer.body()).doesNotContain(ServerProcess.SECRET_KEY);
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    private static RawRequest put(String path) {
        return RawRequest.of("PUT", path).body("x");
    }

    // ---- bodies

    @Test
    void aBodyThatIsNotTheOneSignedIsNotStored() throws IOException {
        String bucket = store.bucket();
        RawRequest lying =
                RawRequest.of("PUT", "/" + bucket + "/key")
                        .payloadHash(RawRequest.EMPTY_HASH)
                        .body("not empty");
        Answer answer = send(Kind.HEADER, lying, "PUT");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("XAmzContentSHA256Mismatch");
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    @Test
    void chunksAreTakenOnlyAsSigned() throws IOException {
        String bucket = store.bucket();
        List<byte[]> parts =
                List.of(Bytes.random(1, 9_000), Bytes.random(2, 9_000), Bytes.random(3, 100));
        Chunked good = chunked(bucket, parts);
        List<Chunk> c = good.chunks();
        byte[] flipped = c.get(1).data().clone();
        flipped[77] ^= 1;
        record Case(String name, Chunked request) {}
        List<Case> cases =
                List.of(
                        new Case(
                                "a flipped bit",
                                good.with(
                                        List.of(
                                                c.get(0),
                                                new Chunk(flipped, c.get(1).signature()),
                                                c.get(2),
                                                c.get(3)))),
                        new Case(
                                "two chunks swapped",
                                good.with(List.of(c.get(1), c.get(0), c.get(2), c.get(3)))),
                        new Case(
                                "a chunk twice",
                                good.with(List.of(c.get(0), c.get(0), c.get(2), c.get(3)))),
                        new Case(
                                "an empty signature",
                                good.with(
                                        List.of(
                                                c.get(0),
                                                c.get(1),
                                                new Chunk(c.get(2).data(), "0".repeat(64)),
                                                c.get(3)))),
                        new Case(
                                "a forged end",
                                good.with(
                                        List.of(
                                                c.get(0),
                                                c.get(1),
                                                c.get(2),
                                                new Chunk(new byte[0], "0".repeat(64))))));
        for (Case each : cases) {
            Answer answer =
                    RawConnection.exchange(store.endpoint(), each.request().message(), "PUT");
            assertThat(answer.status()).as(each.name() + answer.body()).isEqualTo(403);
            assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents())
                    .as(each.name())
                    .isEmpty();
        }
        Answer stored =
                RawConnection.exchange(store.endpoint(), chunked(bucket, parts).message(), "PUT");
        assertThat(stored.status()).as(stored.body()).isEqualTo(200);
        assertThat(store.get(bucket, "chunks")).hasSize(18_100);
    }

    private Chunked chunked(String bucket, List<byte[]> parts) {
        return RawRequest.of("PUT", "/" + bucket + "/chunks").chunked(store.endpoint(), parts);
    }

    @Test
    void anUploadCutOffLeavesNothing() throws IOException {
        String bucket = store.bucket();
        byte[] whole =
                RawRequest.of("PUT", "/" + bucket + "/key")
                        .body(Bytes.random(1, 200_000))
                        .signed(store.endpoint());
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            connection.send(java.util.Arrays.copyOf(whole, whole.length - 1));
            connection.finishSending();
            // Whatever it answers, it is not success, and it has let go of the request by then.
            connection
                    .readUntilClosed("PUT")
                    .forEach(answer -> assertThat(answer.status()).isGreaterThanOrEqualTo(400));
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }
}
