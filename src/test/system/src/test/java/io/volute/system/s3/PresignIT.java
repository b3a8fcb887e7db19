package io.volute.system.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

@ExtendWith(SharedServer.class)
class PresignIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private final Store store;
    private final S3Presigner presigner;

    PresignIT(Store store) {
        this.store = store;
        this.presigner = Clients.presigner(store.endpoint());
    }

    @AfterAll
    static void close() {
        HTTP.close();
    }

    private static HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return HTTP.send(
                request.version(HttpClient.Version.HTTP_1_1).build(), BodyHandlers.ofString());
    }

    private URI get(String bucket, String key) {
        return URI.create(
                presigner
                        .presignGetObject(
                                sign ->
                                        sign.signatureDuration(Duration.ofMinutes(5))
                                                .getObjectRequest(
                                                        get -> get.bucket(bucket).key(key)))
                        .url()
                        .toString());
    }

    private URI put(String bucket, String key) {
        return URI.create(
                presigner
                        .presignPutObject(
                                sign ->
                                        sign.signatureDuration(Duration.ofMinutes(5))
                                                .putObjectRequest(
                                                        put -> put.bucket(bucket).key(key)))
                        .url()
                        .toString());
    }

    @Test
    void aUrlAloneReadsOneObject() throws Exception {
        String bucket = store.bucket();
        store.put(bucket, "a key/ü+", "shared");
        store.put(bucket, "other", "secret");
        HttpResponse<String> read = send(HttpRequest.newBuilder(get(bucket, "a key/ü+")));
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEqualTo("shared");
        URI other = URI.create(get(bucket, "a%20key").toString().replace("a%2520key", "other"));
        HttpResponse<String> moved = send(HttpRequest.newBuilder(other));
        assertThat(moved.statusCode()).isEqualTo(403);
        assertThat(moved.body()).contains("SignatureDoesNotMatch").doesNotContain("secret");
    }

    @Test
    void aUrlAloneWritesOneObject() throws Exception {
        String bucket = store.bucket();
        URI url = put(bucket, "key");
        HttpResponse<String> written =
                send(HttpRequest.newBuilder(url).PUT(BodyPublishers.ofString("by url")));
        assertThat(written.statusCode()).as(written.body()).isEqualTo(200);
        assertThat(store.text(bucket, "key")).isEqualTo("by url");
    }

    @Test
    void aUrlForReadingDoesNotWrite() throws Exception {
        String bucket = store.bucket();
        store.put(bucket, "key", "kept");
        HttpResponse<String> written =
                send(
                        HttpRequest.newBuilder(get(bucket, "key"))
                                .PUT(BodyPublishers.ofString("changed")));
        assertThat(written.statusCode()).isEqualTo(403);
        HttpResponse<String> deleted = send(HttpRequest.newBuilder(get(bucket, "key")).DELETE());
        assertThat(deleted.statusCode()).isEqualTo(403);
        assertThat(store.text(bucket, "key")).isEqualTo("kept");
    }

    @Test
    void anyChangeOfTheQueryIsRefused() throws Exception {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        String url = get(bucket, "key").toString();
        for (String changed :
                new String[] {
                    url.replace("X-Amz-Expires=300", "X-Amz-Expires=604800"),
                    url + "&response-content-type=text/html",
                    url + "&versionId=null",
                    url.replaceAll("(X-Amz-Signature=.{63}).", "$10"),
                    url.replaceAll("X-Amz-Signature=[0-9a-f]+", "X-Amz-Signature=")
                }) {
            if (changed.equals(url)) {
                continue;
            }
            HttpResponse<String> answer = send(HttpRequest.newBuilder(URI.create(changed)));
            assertThat(answer.statusCode()).as(changed).isIn(400, 403);
            assertThat(answer.body()).isNotEqualTo("body");
        }
    }

    @Test
    void withoutAnySignatureNothingIsServed() throws Exception {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        URI plain = store.endpoint().resolve("/" + bucket + "/key");
        assertThat(send(HttpRequest.newBuilder(plain)).statusCode()).isEqualTo(403);
        assertThat(send(HttpRequest.newBuilder(plain).DELETE()).statusCode()).isEqualTo(403);
        assertThat(send(HttpRequest.newBuilder(store.endpoint())).statusCode()).isEqualTo(403);
        assertThat(store.text(bucket, "key")).isEqualTo("body");
    }
}
