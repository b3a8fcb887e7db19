package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.EncodingType;

/**
 * A target is decoded once, and the same bytes are authorised and stored: CVE-2026-54917
 * (SeaweedFS), CVE-2026-42882 (s3-proxy), GHSA-8v25-v8p6-qf7v (rclone), CVE-2025-24961 (s3proxy).
 */
@ExtendWith(SharedServer.class)
class EncodedPathIT {
    private final Store store;
    private final S3Client s3;

    EncodedPathIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private Answer put(String rawPath) throws IOException {
        return RawConnection.exchange(
                store.endpoint(),
                RawRequest.of("PUT", rawPath).body("body").signed(store.endpoint()),
                "PUT");
    }

    /** The listing as the wire has it, names encoded by the server. */
    private String listing(String bucket) throws IOException {
        return RawConnection.exchange(
                        store.endpoint(),
                        RawRequest.of("GET", "/" + bucket)
                                .query("list-type", "2")
                                .query("encoding-type", "url")
                                .signed(store.endpoint()),
                        "GET")
                .body();
    }

    @TestFactory
    Stream<DynamicTest> cve202654917ATargetIsDecodedOnceToExactlyThatKey() {
        // The raw path below the bucket, and the key's name as a listing must encode it.
        String[][] cases = {
            {"a%2Fb", "a/b"},
            {"%2e%2e", ".."},
            {"%2e%2e/%2e%2e/etc/passwd", "../../etc/passwd"},
            {"%2E%2E%2Fother%2Fkey", "../other/key"},
            {"..", ".."},
            {"../other/key", "../other/key"},
            {"./a", "./a"},
            {"a/../../b", "a/../../b"},
            {"/", "/"},
            {"//x", "//x"},
            {"a//b", "a//b"},
            {"a/", "a/"},
            {"a%00b", "a%00b"},
            {"a%0Ab", "a%0Ab"},
            {"a%0D%0AX-Planted:%20b", "a%0D%0AX-Planted%3A+b"},
            {"a%5Cb", "a%5Cb"},
            {"%252e%252e", "%252e%252e"},
            {"a%253Fb", "a%253Fb"},
            {"a%3Fversioning", "a%3Fversioning"},
            {"a%23b", "a%23b"},
            {"a%26b%3Dc", "a%26b%3Dc"},
            {"a+b", "a%2Bb"},
            {"a%20b", "a+b"},
            {"a;b", "a%3Bb"},
            {"%7Ea", "~a"},
            {"%61", "a"},
            {"%c3%a9", "%C3%A9"},
        };
        return Stream.of(cases)
                .map(
                        each ->
                                DynamicTest.dynamicTest(
                                        each[0], () -> storesExactly(each[0], each[1])));
    }

    private void storesExactly(String raw, String listed) throws IOException {
        String other = store.bucket();
        store.put(other, "key", "untouched");
        String bucket = store.bucket();
        Answer answer = put("/" + bucket + "/" + raw);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        String found = listing(bucket).replaceAll("(?s).*<Key>(.*?)</Key>.*", "$1");
        // S3 encodes a space as plus or as %20 and leaves some marks plain: compare what it means.
        assertThat(decoded(found)).isEqualTo(decoded(listed));
        assertThat(
                        s3.listObjectsV2(list -> list.bucket(bucket).encodingType(EncodingType.URL))
                                .keyCount())
                .isEqualTo(1);
        assertThat(store.text(other, "key")).isEqualTo("untouched");
        Answer read =
                RawConnection.exchange(
                        store.endpoint(),
                        RawRequest.of("GET", "/" + bucket + "/" + raw).signed(store.endpoint()),
                        "GET");
        assertThat(read.body()).isEqualTo("body");
        assertThat(read.header("X-Planted")).isEmpty();
    }

    private static String decoded(String name) {
        return java.net.URLDecoder.decode(name, java.nio.charset.StandardCharsets.UTF_8);
    }

    @TestFactory
    Stream<DynamicTest> whatIsNoUtf8IsRefused() {
        String bucket = store.bucket();
        return Stream.of(
                        "%C0%AE%C0%AE/x",
                        "%C0%AF",
                        "%E0%80%AF",
                        "%FF",
                        "%ED%A0%80",
                        "%F4%90%80%80",
                        "a%",
                        "a%2",
                        "a%zz",
                        "%u002e")
                .map(
                        raw ->
                                DynamicTest.dynamicTest(
                                        raw,
                                        () -> {
                                            Answer answer = put("/" + bucket + "/" + raw);
                                            // 403 when the signature was looked at first.
                                            assertThat(answer.status())
                                                    .as(answer.body())
                                                    .isIn(400, 403);
                                            assertThat(
                                                            s3.listObjectsV2(
                                                                            list ->
                                                                                    list.bucket(
                                                                                            bucket))
                                                                    .contents())
                                                    .isEmpty();
                                        }));
    }

    @Test
    void namesThatAreNoBucketAreRefused() throws IOException {
        int before = s3.listBuckets().buckets().size();
        for (String name :
                List.of(
                        "..",
                        ".",
                        "%2e%2e",
                        "UPPER",
                        "a",
                        "a_b",
                        "-ab",
                        "ab-",
                        "a..b",
                        "1.2.3.4",
                        "x".repeat(64),
                        "a%2Fb",
                        "a%00b",
                        "xn--abc")) {
            Answer answer =
                    RawConnection.exchange(
                            store.endpoint(),
                            RawRequest.of("PUT", "/" + name).signed(store.endpoint()),
                            "PUT");
            assertThat(answer.status()).as(name + answer.body()).isBetween(400, 404);
        }
        assertThat(s3.listBuckets().buckets()).hasSize(before);
    }
}
