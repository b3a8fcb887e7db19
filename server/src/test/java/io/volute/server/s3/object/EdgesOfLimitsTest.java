package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The limits of S3 requests: a value at the limit is accepted, and one beyond it is refused with
 * S3's error. Those of HTTP are in FramingTest, those of keys and metadata in BodyIntegrityTest.
 */
class EdgesOfLimitsTest extends S3TestCase {
    private static String bucket;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
    }

    /**
     * @param sent what comes of a request of that size
     */
    private static void edge(int limit, String refusal, IntFunction<TestResponse> sent) {
        TestResponse taken = sent.apply(limit);
        assertThat(taken.status()).as("%s: %s", limit, taken.text()).isBetween(200, 299);
        assertThat(sent.apply(limit + 1).code()).as("%s", limit + 1).isEqualTo(refusal);
    }

    private static String repeat(int count, IntFunction<String> each) {
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining());
    }

    private static TestResponse tagging(String tags) {
        return bed.request("PUT", "/" + bucket + "/k?tagging")
                .body("<Tagging><TagSet>" + tags + "</TagSet></Tagging>")
                .send();
    }

    private static String tag(String key, String value) {
        return "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>";
    }

    @Test
    void parametersOfAQuery() {
        assertThat(query(Limits.QUERY_PARAMETERS_MAX).status()).isEqualTo(200);
        assertThat(query(Limits.QUERY_PARAMETERS_MAX + 1).code()).isEqualTo("InvalidURI");
    }

    /** Sends a query of this many parameters. S3 has fewer, and a read ignores the others. */
    private static TestResponse query(int size) {
        return bed.get("/" + bucket + "?list-type=2" + repeat(size - 1, i -> "&x" + i));
    }

    @Test
    void tags() {
        edge(Limits.TAGS_MAX, "BadRequest", size -> tagging(repeat(size, i -> tag("k" + i, "v"))));
        edge(Limits.TAG_KEY_CHARS_MAX, "InvalidTag", size -> tagging(tag("k".repeat(size), "v")));
        edge(Limits.TAG_VALUE_CHARS_MAX, "InvalidTag", size -> tagging(tag("k", "v".repeat(size))));
    }

    @Test
    void namesOfBuckets() {
        edge(
                Limits.BUCKET_NAME_CHARS_MAX,
                "InvalidBucketName",
                size -> bed.request("PUT", "/" + "b".repeat(size)).send());
    }

    @Test
    void namesOfActors() {
        edge(
                Limits.ACTOR_CHARS_MAX,
                "InvalidArgument",
                size ->
                        bed.request("PUT", "/" + bucket + "/k")
                                .header("x-volute-actor", "a".repeat(size))
                                .send());
    }

    @Test
    void keysToDelete() {
        edge(
                Limits.DELETE_KEYS_MAX,
                "MalformedXML",
                size -> delete(repeat(size, i -> "<Object><Key>gone" + i + "</Key></Object>")));
    }

    @Test
    void bytesOfADocument() {
        String document = "<Tagging><TagSet>" + tag("k", "v") + "</TagSet></Tagging>";
        edge(
                Limits.XML_BYTES_MAX,
                "MaxMessageLengthExceeded",
                size ->
                        bed.request("PUT", "/" + bucket + "/k?tagging")
                                .body(document + " ".repeat(size - document.length()))
                                .send());
    }

    @Test
    void numbersOfParts() {
        String upload = bed.request("POST", "/" + bucket + "/k?uploads").send().uploadId();
        edge(
                Limits.PARTS_MAX,
                "InvalidArgument",
                size ->
                        bed.request(
                                        "PUT",
                                        "/"
                                                + bucket
                                                + "/k?partNumber="
                                                + size
                                                + "&uploadId="
                                                + upload)
                                .body("part")
                                .send());
    }

    @Test
    void entriesOfAPageAreCapped() {
        TestResponse page =
                bed.get("/" + bucket + "?list-type=2&max-keys=" + (Limits.PAGE_ENTRIES_MAX + 1));
        assertThat(page.xml("ListBucketResult").childText("MaxKeys"))
                .contains(Integer.toString(Limits.PAGE_ENTRIES_MAX));
    }

    private static TestResponse delete(String objects) {
        byte[] document =
                ("<Delete><Quiet>true</Quiet>" + objects + "</Delete>")
                        .getBytes(StandardCharsets.UTF_8);
        return bed.request("POST", "/" + bucket + "?delete")
                .header("content-md5", Base64.getEncoder().encodeToString(TestSigner.md5(document)))
                .body(document)
                .send();
    }
}
