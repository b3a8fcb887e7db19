package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.RunningChecksum;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A body becomes visible only if it keeps all promises of its request. */
final class BodyIntegrityTest extends S3TestCase {
    private static String bucket;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
    }

    /** Checksums of "hello". */
    @ParameterizedTest
    @CsvSource({
        "content-md5,XUFAKrxLKna5cZ2REBfFkg==",
        "x-amz-checksum-crc32,NhCmhg==",
        "x-amz-checksum-crc32c,mnG7TA==",
        "x-amz-checksum-crc64nvme,M3eFcAZSQlc=",
        "x-amz-checksum-sha1,qvTGHdzF6KLavt4PO0gs2a6pQ00=",
        "x-amz-checksum-sha256,LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    })
    void goodPromisesHoldAndBadOnesLeaveNothing(String header, String value) {
        String target = "/" + bucket + "/" + header;
        assertThat(put(target, "hellO", header, value).code()).isEqualTo("BadDigest");
        assertThat(bed.get(target).code()).isEqualTo("NoSuchKey");
        TestResponse good = put(target, "hello", header, value);
        assertThat(good.status()).as(good.text()).isEqualTo(200);
        if (header.startsWith("x-amz-")) {
            assertThat(good.header(header)).isEqualTo(value);
            assertThat(good.header("x-amz-checksum-type")).isEqualTo("FULL_OBJECT");
            TestResponse read =
                    bed.request("GET", target).header("x-amz-checksum-mode", "ENABLED").send();
            assertThat(read.header(header)).isEqualTo(value);
            TestResponse range =
                    bed.request("GET", target)
                            .header("x-amz-checksum-mode", "ENABLED")
                            .header("range", "bytes=0-1")
                            .send();
            assertThat(range.hasHeader(header)).isFalse();
        }
        String invalid = header.equals("content-md5") ? "InvalidDigest" : "InvalidRequest";
        for (String broken : new String[] {"x", "AAAA", "", "!!!!", value + value}) {
            assertThat(put(target, "hello", header, broken).code()).as(broken).isEqualTo(invalid);
        }
    }

    @Test
    void aWrongMd5IsToldInHexAndTheRightOneInBase64() {
        TestResponse put =
                put("/" + bucket + "/md5", "HELLO", "content-md5", "XUFAKrxLKna5cZ2REBfFkg==");
        assertThat(put.code()).isEqualTo("BadDigest");
        assertThat(put.text())
                .contains(
                        "<ExpectedDigest>5d41402abc4b2a76b9719d911017c592</ExpectedDigest>",
                        "<CalculatedDigest>62HurZDjuJnGvL4nrFgWYA==</CalculatedDigest>");
        assertThat(put("/" + bucket + "/md5", "hello", "content-md5", "no").text())
                .contains("<Content-MD5>no</Content-MD5>");
    }

    private static TestResponse put(String target, String body, String header, String value) {
        return bed.request("PUT", target).header(header, value).body(body).send();
    }

    @Test
    void aBodyWithAnotherHashLeavesNothing() {
        String target = "/" + bucket + "/hash";
        TestResponse put =
                bed.request("PUT", target)
                        .header("x-amz-content-sha256", TestSigner.sha256(new byte[] {1}))
                        .body("hello")
                        .send();
        assertThat(put.code()).isEqualTo("XAmzContentSHA256Mismatch");
        assertThat(bed.get(target).code()).isEqualTo("NoSuchKey");
    }

    @Test
    void lengthsMustBeGivenAndHold() {
        String target = "/" + bucket + "/length";
        assertThat(bed.request("PUT", target).contentLength(-1).body("x").send().code())
                .isEqualTo("MissingContentLength");
        assertThat(
                        bed.request("PUT", target)
                                .unsigned("transfer-encoding", "chunked")
                                .contentLength(-1)
                                .body("x")
                                .send()
                                .text())
                .contains("<Code>NotImplemented</Code>")
                .contains("<Header>Transfer-Encoding</Header>");
        assertThat(
                        bed.request("PUT", target)
                                .header(
                                        "x-amz-content-sha256",
                                        "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
                                .unsigned("transfer-encoding", "chunked")
                                .contentLength(-1)
                                .body("1\r\nx\r\n0\r\n\r\n")
                                .send()
                                .status())
                .isEqualTo(411);
        assertThat(bed.request("PUT", target).contentLength(6).body("hello").send().code())
                .isEqualTo("IncompleteBody");
        assertThat(bed.request("PUT", target).contentLength((5L << 30) + 1).send().code())
                .isEqualTo("EntityTooLarge");
        assertThat(
                        bed.request("PUT", target)
                                .header(
                                        "x-amz-content-sha256",
                                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                                .send()
                                .code())
                .isEqualTo("MissingContentLength");
        assertThat(bed.get(target).code()).isEqualTo("NoSuchKey");
    }

    @Test
    void aRefusedRequestNeverReadsItsBody() {
        TestBody body = new TestBody("hello".getBytes(StandardCharsets.UTF_8), 1);
        bed.protocol()
                .handle(
                        new io.volute.server.s3.request.HttpHead(
                                "PUT",
                                "/" + bucket + "/never",
                                "",
                                new io.volute.server.s3.request.HeaderList(java.util.List.of()),
                                false,
                                "192.0.2.1",
                                5,
                                "REQ1"),
                        body);
        assertThat(body.pulled()).isZero();
    }

    @Test
    void severalChecksumsAndUnknownOnesAreRefused() {
        String target = "/" + bucket + "/several";
        assertThat(
                        bed.request("PUT", target)
                                .header("x-amz-checksum-crc32", "NhCmhg==")
                                .header("x-amz-checksum-crc32c", "mnG7TA==")
                                .body("hello")
                                .send()
                                .code())
                .isEqualTo("InvalidRequest");
        assertThat(put(target, "hello", "x-amz-checksum-blake3", "x").code())
                .isEqualTo("NotImplemented");
        assertThat(put(target, "hello", "x-amz-checksum-xxhash64", "x").code())
                .isEqualTo("InvalidRequest");
        assertThat(put(target, "hello", "x-amz-sdk-checksum-algorithm", "CRC32").code())
                .isEqualTo("InvalidRequest");
        assertThat(put(target, "hello", "x-amz-trailer", "x-amz-checksum-crc32").code())
                .isEqualTo("InvalidRequest");
    }

    /** SDKs that presign sign the checksum of an empty body into the query. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32",
                "X-Amz-Checksum-Sha1=2jmj7l5rSw0yVb%2FvlWAYkK%2FYBwk%3D",
                "x-amz-sdk-checksum-algorithm=CRC32"
            })
    void theChecksumOfNoBodyInAPresignedQueryIsNotOfTheBody(String query) {
        String target = "/" + bucket + "/presigned";
        TestResponse put = bed.request("PUT", target + "?" + query).body("hello").sendPresigned(60);
        assertThat(put.status()).isEqualTo(200);
        assertThat(put.header("x-amz-checksum-type")).isEqualTo("FULL_OBJECT");
        assertThat(bed.get(target).text()).isEqualTo("hello");
        assertThat(bed.request("PUT", target + "?" + query).sendPresigned(60).status())
                .as("an empty body")
                .isEqualTo(200);
        assertThat(
                        bed.request("PUT", target)
                                .header("x-amz-checksum-crc32", "AAAAAA==")
                                .body("hello")
                                .sendPresigned(60)
                                .code())
                .as("in a signed header it is")
                .isEqualTo("BadDigest");
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-checksum-crc32=NhCmhg%3D%3D, hello, 200",
        "X-Amz-Checksum-Crc32=NhCmhg%3D%3D&x-amz-sdk-checksum-algorithm=CRC32, hello, 200",
        "x-amz-checksum-crc32=NhCmhg%3D%3D, hullo, BadDigest",
        "x-amz-checksum-crc32=NhCmhg%3D%3D, '', BadDigest",
        "x-amz-checksum-crc32=AAAAAQ%3D%3D, hello, BadDigest",
        "X-Amz-Checksum-Sha256=AAAA, hello, InvalidRequest",
        "x-amz-checksum-crc32c=AAAAAA%3D%3D&x-amz-checksum-crc32=NhCmhg%3D%3D, hello, 200",
        "x-amz-checksum-blake3=x, hello, NotImplemented"
    })
    void aChecksumInAPresignedQueryIsOfTheBody(String query, String body, String code) {
        String target = "/" + bucket + "/promised";
        assertThat(bed.request("PUT", target + "?" + query).body(body).sendPresigned(60).code())
                .isEqualTo(code);
    }

    @Test
    void theChecksumsOfNoBodyAreKnown() {
        String target = "/" + bucket + "/nothing";
        for (Algorithm algorithm : Algorithm.values()) {
            String header = ChecksumFamily.header(algorithm);
            String value =
                    Base64.getEncoder().encodeToString(RunningChecksum.of(algorithm).finish());
            String query = header + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
            assertThat(
                            bed.request("PUT", target + "?" + query)
                                    .body("hello")
                                    .sendPresigned(60)
                                    .code())
                    .as(query)
                    .isEqualTo("200");
        }
    }

    /** S3 takes such bodies without a trailer, too. */
    @Test
    void chunksWithoutAnAnnouncedTrailerMayHaveAChecksumInAHeaderOrNone() {
        String target = "/" + bucket + "/untrailed";
        TestRequest none = chunked(target, "0\r\n\r\n");
        assertThat(none.send().header("x-amz-checksum-crc64nvme")).isEqualTo("M3eFcAZSQlc=");
        assertThat(chunked(target, "0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n").send().code())
                .as("not announced")
                .isEqualTo("MalformedTrailerError");
        String header = "x-amz-checksum-crc32";
        assertThat(chunked(target, "0\r\n\r\n").header(header, "NhCmhg==").send().status())
                .isEqualTo(200);
        assertThat(chunked(target, "0\r\n\r\n").header(header, "AAAAAA==").send().code())
                .isEqualTo("BadDigest");
        assertThat(bed.get(target).text()).isEqualTo("hello");
    }

    private static TestRequest chunked(String target, String end) {
        return bed.request("PUT", target)
                .header("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
                .header("x-amz-decoded-content-length", "5")
                .body("5\r\nhello\r\n" + end);
    }

    /** SDKs do not compute it, but a client may have it. */
    @Test
    void md5IsAChecksumToo() {
        String target = "/" + bucket + "/md5";
        String md5 = "XUFAKrxLKna5cZ2REBfFkg==";
        assertThat(put(target, "HELLO", "x-amz-checksum-md5", md5).code()).isEqualTo("BadDigest");
        TestResponse put = put(target, "hello", "x-amz-checksum-md5", md5);
        assertThat(put.header("x-amz-checksum-md5")).isEqualTo(md5);
        TestResponse head =
                bed.request("HEAD", target).header("x-amz-checksum-mode", "ENABLED").send();
        assertThat(head.header("x-amz-checksum-md5")).isEqualTo(md5);
        assertThat(head.header("x-amz-checksum-type")).isEqualTo("FULL_OBJECT");
    }

    @Test
    void metadataAndKeysHaveLimits() {
        String target = "/" + bucket + "/meta";
        assertThat(put(target, "x", "x-amz-meta-a", "v".repeat(2047)).status()).isEqualTo(200);
        assertThat(put(target, "x", "x-amz-meta-a", "v".repeat(2048)).code())
                .isEqualTo("MetadataTooLarge");
        assertThat(bed.request("PUT", "/" + bucket + "/" + "k".repeat(1024)).send().status())
                .isEqualTo(200);
        assertThat(bed.request("PUT", "/" + bucket + "/" + "k".repeat(1025)).send().code())
                .isEqualTo("KeyTooLongError");
        assertThat(bed.request("PUT", "/" + bucket + "/" + "%C3%A4".repeat(513)).send().code())
                .isEqualTo("KeyTooLongError");
    }

    @Test
    void otherThanAsciiMetadataComesBackAsEncodedWords() {
        String target = "/" + bucket + "/words";
        byte[] utf8 = "\u00C4M\u00C4Z\u00D5\u00D1 S3".getBytes(StandardCharsets.UTF_8);
        put(target, "x", "x-amz-meta-nonascii", new String(utf8, StandardCharsets.ISO_8859_1));
        assertThat(bed.get(target).header("x-amz-meta-nonascii"))
                .isEqualTo("=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=");
        String word = "=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?=";
        put(target, "x", "x-amz-meta-nonascii", word);
        assertThat(bed.get(target).header("x-amz-meta-nonascii")).isEqualTo(word);
    }
}
