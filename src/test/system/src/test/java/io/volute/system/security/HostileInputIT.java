package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/** Documents, parameters and routes that were made to do harm. */
@ExtendWith(SharedServer.class)
class HostileInputIT {
    private final Store store;
    private final S3Client s3;

    HostileInputIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private Answer post(String bucket, String parameter, byte[] body) throws IOException {
        return RawConnection.exchange(
                store.endpoint(),
                RawRequest.of("POST", "/" + bucket)
                        .query(parameter, "")
                        .header("content-md5", Bytes.md5Base64(body))
                        .body(body)
                        .signed(store.endpoint()),
                "POST");
    }

    @Test
    void documentsWithEntitiesAreRefused() throws IOException {
        String bucket = store.bucket();
        store.put(bucket, "kept", "body");
        String delete = "<Delete><Object><Key>%s</Key></Object></Delete>";
        StringBuilder laughs = new StringBuilder("<!DOCTYPE d [<!ENTITY a0 \"kept\">");
        for (int i = 1; i < 30; i++) {
            laughs.append("<!ENTITY a%d \"&a%d;&a%d;\">".formatted(i, i - 1, i - 1));
        }
        List<String> documents =
                List.of(
                        "<!DOCTYPE d [<!ENTITY x \"kept\">]>" + delete.formatted("&x;"),
                        "<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
                                + delete.formatted("&x;"),
                        "<!DOCTYPE d SYSTEM \"http://127.0.0.1:1/d.dtd\">"
                                + delete.formatted("kept"),
                        laughs + "]>" + delete.formatted("&a29;"),
                        "<Delete>".repeat(5_000) + "</Delete>".repeat(5_000),
                        "<Delete><Object><Key>kept</Key>",
                        "not xml",
                        "");
        for (String document : documents) {
            Answer answer = post(bucket, "delete", document.getBytes(StandardCharsets.UTF_8));
            assertThat(answer.status()).as(document + answer.body()).isEqualTo(400);
        }
        assertThat(store.text(bucket, "kept")).isEqualTo("body");
    }

    @Test
    void documentsAreBounded() throws IOException {
        String bucket = store.bucket();
        store.put(bucket, "kept", "body");
        StringBuilder keys = new StringBuilder("<Delete>");
        for (int i = 0; i < 1_001; i++) {
            keys.append("<Object><Key>kept</Key></Object>");
        }
        Answer tooMany =
                post(
                        bucket,
                        "delete",
                        keys.append("</Delete>").toString().getBytes(StandardCharsets.UTF_8));
        assertThat(tooMany.status()).isEqualTo(400);
        assertThat(tooMany.body()).contains("MalformedXML");
        byte[] huge = " ".repeat(8 << 20).getBytes(StandardCharsets.US_ASCII);
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            try {
                connection.send(
                        RawRequest.of("POST", "/" + bucket)
                                .query("delete", "")
                                .header("content-md5", Bytes.md5Base64(huge))
                                .body(huge)
                                .signed(store.endpoint()));
            } catch (java.net.SocketException e) {
                // Refused before we had sent it all.
                assertThat(e.getMessage()).isNotEmpty();
            }
            connection.read("POST").ifPresent(a -> assertThat(a.status()).isIn(400, 413));
        }
        assertThat(store.text(bucket, "kept")).isEqualTo("body");
    }

    /** CVE-2020-10753 and CVE-2021-3524 (Ceph RGW): a line break in what is echoed. */
    @Test
    void cve202010753LineBreaksNeverReachTheResponseHead() throws IOException {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        for (String breaking : List.of("a\r\nX-Planted: 1", "a\nX-Planted: 1", "a\rX-Planted: 1")) {
            for (String parameter :
                    List.of("response-content-type", "response-content-disposition")) {
                Answer answer =
                        RawConnection.exchange(
                                store.endpoint(),
                                RawRequest.of("GET", "/" + bucket + "/key")
                                        .query(parameter, breaking)
                                        .signed(store.endpoint()),
                                "GET");
                assertThat(answer.header("X-Planted")).isEmpty();
                assertThat(answer.headers()).noneMatch(line -> line.contains("\r"));
                assertThat(answer.status()).isIn(200, 400);
            }
        }
    }

    @Test
    void overridesOfHeadersNeedASignature() throws IOException {
        String bucket = store.bucket();
        Answer answer =
                RawConnection.exchange(
                        store.endpoint(),
                        RawRequest.of("GET", "/" + bucket + "/key")
                                .query("response-content-type", "text/html")
                                .anonymous(store.endpoint()),
                        "GET");
        assertThat(answer.status()).isIn(400, 403);
    }

    @Test
    void wrongParametersAreRefusedByName() throws IOException {
        String bucket = store.bucket();
        for (String[] pair :
                new String[][] {
                    {"max-keys", "-1"},
                    {"max-keys", "x"},
                    {"max-keys", "99999999999999"},
                    {"encoding-type", "base64"},
                    {"continuation-token", "nonsense"},
                }) {
            Answer answer =
                    RawConnection.exchange(
                            store.endpoint(),
                            RawRequest.of("GET", "/" + bucket)
                                    .query("list-type", "2")
                                    .query(pair[0], pair[1])
                                    .signed(store.endpoint()),
                            "GET");
            assertThat(answer.status()).as(pair[0] + "=" + pair[1] + answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("<Code>InvalidArgument");
        }
    }

    /** CVE-2023-28432 (MinIO): a diagnostic route that disclosed everything to everyone. */
    @Test
    void cve202328432OnlyHealthAnswersWithoutASignature() throws IOException {
        for (String path :
                List.of(
                        "/",
                        "/metrics-private",
                        "/minio/bootstrap/v1/verify",
                        "/admin/v1/env",
                        "/debug/pprof/",
                        "/actuator/env",
                        "/health/../",
                        "/health",
                        "/any-bucket",
                        "/any-bucket/key")) {
            for (String method :
                    List.of("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE")) {
                Answer answer =
                        RawConnection.exchange(
                                store.endpoint(),
                                RawRequest.of(method, path)
                                        .unsigned("Connection", "close")
                                        .anonymous(store.endpoint()),
                                method);
                assertThat(answer.status())
                        .as(method + " " + path + answer.body())
                        // 412 is the answer of S3 to a POST to a bucket that is no form.
                        .isIn(400, 403, 404, 405, 412, 501);
                assertThat(answer.body())
                        .doesNotContain(ServerProcess.SECRET_KEY)
                        .doesNotContain(ServerProcess.ACCESS_KEY);
            }
        }
        for (String path : List.of("/health/live", "/health/ready")) {
            Answer answer =
                    RawConnection.exchange(
                            store.endpoint(),
                            RawRequest.of("GET", path).anonymous(store.endpoint()),
                            "GET");
            assertThat(answer.status()).as(path).isEqualTo(200);
        }
    }

    /** CVE-2024-36107 (MinIO): conditions answered before the question who asks. */
    @Test
    void cve202436107ExistenceIsNotToldToStrangers() throws IOException {
        String bucket = store.bucket();
        String etag = store.put(bucket, "there", "body").eTag();
        String[] bodies = new String[2];
        int i = 0;
        for (String key : List.of("there", "missing")) {
            Answer answer =
                    RawConnection.exchange(
                            store.endpoint(),
                            RawRequest.of("GET", "/" + bucket + "/" + key)
                                    .header("If-Match", etag)
                                    .anonymous(store.endpoint()),
                            "GET");
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.header("etag")).isEmpty();
            bodies[i++] =
                    answer.body()
                            .replace(key, "KEY")
                            .replaceAll("<RequestId>.*?</RequestId>", "")
                            .replaceAll("<HostId>.*?</HostId>", "");
        }
        assertThat(bodies[0]).isEqualTo(bodies[1]);
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).keyCount()).isEqualTo(1);
    }
}
