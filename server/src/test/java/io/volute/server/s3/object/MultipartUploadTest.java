package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestAllowance;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.xml.XmlElement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Multipart uploads from beginning to end. Parts here may be as small as 1,000 bytes. */
final class MultipartUploadTest extends S3TestCase {
    private static final String ONE = "1".repeat(1000);
    private static final String TWO = "2".repeat(1500);
    private static final String THREE = "3".repeat(10);

    private static String bucket;

    /** The checksum algorithms that uploads were created with, by the id of the upload. */
    private static final Map<String, String> ALGORITHMS = new HashMap<>();

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
    }

    private static String create(String key, String... headers) {
        TestRequest request = bed.request("POST", "/" + bucket + "/" + key + "?uploads");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        TestResponse response = request.send();
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        if (headers.length > 0 && headers[0].equals("x-amz-checksum-algorithm")) {
            ALGORITHMS.put(response.uploadId(), headers[1]);
        }
        return response.uploadId();
    }

    private static TestResponse part(String key, String upload, int number, String content) {
        TestRequest part =
                bed.request(
                                "PUT",
                                "/"
                                        + bucket
                                        + "/"
                                        + key
                                        + "?partNumber="
                                        + number
                                        + "&uploadId="
                                        + upload)
                        .body(content);
        if (ALGORITHMS.containsKey(upload)) {
            part.checksum(ALGORITHMS.get(upload));
        }
        return part.send();
    }

    private static TestRequest complete(String key, String upload, List<String> parts) {
        Map<String, String> checksums = checksums(key, upload);
        StringBuilder document = new StringBuilder("<CompleteMultipartUpload>");
        for (int i = 0; i < parts.size(); i++) {
            String number = Integer.toString(i + 1);
            document.append("<Part><PartNumber>" + number + "</PartNumber>")
                    .append("<ETag>" + parts.get(i) + "</ETag>")
                    .append(checksums.getOrDefault(number, "") + "</Part>");
        }
        return bed.request("POST", "/" + bucket + "/" + key + "?uploadId=" + upload)
                .body(document.append("</CompleteMultipartUpload>").toString());
    }

    /** The checksums of uploaded parts as elements, by the number of the part. */
    private static Map<String, String> checksums(String key, String upload) {
        TestResponse listed = bed.get("/" + bucket + "/" + key + "?uploadId=" + upload);
        Map<String, String> checksums = new HashMap<>();
        if (listed.status() == 200) {
            for (XmlElement part : listed.xml("ListPartsResult").all("Part")) {
                for (XmlElement child : part.children()) {
                    if (child.name().startsWith("Checksum")) {
                        String name = child.name();
                        checksums.put(
                                part.childText("PartNumber").orElseThrow(),
                                "<" + name + ">" + child.text() + "</" + name + ">");
                    }
                }
            }
        }
        return checksums;
    }

    @Test
    void aCompositeChecksumNeedsThoseOfTheParts() {
        String upload = create("bare", "x-amz-checksum-algorithm", "SHA256");
        List<String> etags = upload("bare", upload);
        String bare =
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + etags.getFirst()
                        + "</ETag></Part></CompleteMultipartUpload>";
        TestRequest without = bed.request("POST", "/" + bucket + "/bare?uploadId=" + upload);
        TestResponse refused = without.body(bare).send();
        assertThat(refused.code()).isEqualTo("InvalidRequest");
        assertThat(refused.text()).contains("It was missing for part 1 in the request.");
        assertThat(complete("bare", upload, etags).send().status()).isEqualTo(200);
        // A checksum of the whole needs none.
        String whole =
                create(
                        "whole",
                        "x-amz-checksum-algorithm",
                        "CRC32",
                        "x-amz-checksum-type",
                        "FULL_OBJECT");
        String etag = part("whole", whole, 1, ONE).header("etag");
        assertThat(
                        bed.request("POST", "/" + bucket + "/whole?uploadId=" + whole)
                                .body(bare.replace(etags.getFirst(), etag))
                                .send()
                                .status())
                .isEqualTo(200);
    }

    /** A copied part has no body, so the server alone computes its checksum. */
    @Test
    void aCompositeChecksumNeedsThatOfEachPartWhenItComes() {
        for (String algorithm : List.of("SHA256", "CRC32", "CRC64NVME")) {
            String upload = create("needs", "x-amz-checksum-algorithm", algorithm);
            String target = "/" + bucket + "/needs?partNumber=1&uploadId=" + upload;
            TestResponse bare = bed.request("PUT", target).body(ONE).send();
            TestResponse copied =
                    bed.request("PUT", target)
                            .header("x-amz-copy-source", bucket + "/source-of-part")
                            .send();
            assertThat(copied.code()).isEqualTo("NoSuchKey");
            if (algorithm.equals("CRC64NVME")) {
                assertThat(bare.status()).isEqualTo(200);
                assertThat(bare.hasHeader("x-amz-checksum-crc64nvme")).isTrue();
            } else {
                assertThat(bare.code()).isEqualTo("InvalidRequest");
                assertThat(bare.text())
                        .contains(
                                "Checksum Type mismatch occurred, expected checksum Type: "
                                        + algorithm.toLowerCase(Locale.ROOT)
                                        + ", actual checksum Type: null");
                assertThat(bed.get("/" + bucket + "/needs?uploadId=" + upload).text())
                        .doesNotContain("<Part>");
            }
        }
    }

    @Test
    void answersShowTheChecksumsThatTheClientChose() {
        String none = create("none");
        List<String> etags = upload("none", none);
        assertThat(bed.get("/" + bucket + "/none?uploadId=" + none).text())
                .doesNotContain("Checksum");
        assertThat(bed.get("/" + bucket + "?uploads&prefix=none").text())
                .contains(none)
                .doesNotContain("Checksum");
        TestResponse done = complete("none", none, etags).send();
        assertThat(done.text()).contains("<ChecksumType>FULL_OBJECT</ChecksumType>");
        String chosen = create("chosen", "x-amz-checksum-algorithm", "CRC32");
        assertThat(bed.get("/" + bucket + "?uploads&prefix=chosen").text())
                .contains("<ChecksumAlgorithm>CRC32</ChecksumAlgorithm>");
        List<String> parts = upload("chosen", chosen);
        complete("chosen", chosen, parts).send();
        // A checksum of the whole does not cover one part of several.
        for (String key : List.of("none", "chosen")) {
            TestResponse part =
                    bed.request("GET", "/" + bucket + "/" + key + "?partNumber=1")
                            .header("x-amz-checksum-mode", "ENABLED")
                            .send();
            assertThat(part.hasHeader("x-amz-checksum-type")).isEqualTo(key.equals("chosen"));
            String attributes =
                    bed.request("GET", "/" + bucket + "/" + key + "?attributes")
                            .header("x-amz-object-attributes", "ObjectParts")
                            .send()
                            .text();
            assertThat(attributes).contains("<PartsCount>3</PartsCount>");
            assertThat(attributes.contains("<PartNumber>")).isEqualTo(key.equals("chosen"));
        }
    }

    private static List<String> upload(String key, String upload) {
        List<String> etags = new ArrayList<>();
        for (String content : List.of(ONE, TWO, THREE)) {
            etags.add(part(key, upload, etags.size() + 1, content).header("etag"));
        }
        return etags;
    }

    @Test
    void makesOneObjectOfItsParts() {
        String upload = create("a", "content-type", "text/plain", "x-amz-meta-m", "v");
        List<String> etags = upload("a", upload);
        XmlElement listed = bed.get("/" + bucket + "/a?uploadId=" + upload).xml("ListPartsResult");
        assertThat(listed.all("Part")).hasSize(3);
        assertThat(listed.all("Part").get(1).childText("Size")).contains("1500");
        String size = Integer.toString((ONE + TWO + THREE).length());
        TestResponse done =
                complete("a", upload, etags).header("x-amz-mp-object-size", size).send();
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        String etag = done.xml("CompleteMultipartUploadResult").childText("ETag").orElseThrow();
        assertThat(etag).endsWith("-3\"");
        TestResponse got = bed.get("/" + bucket + "/a");
        assertThat(got.text()).isEqualTo(ONE + TWO + THREE);
        assertThat(got.header("etag")).isEqualTo(etag);
        assertThat(got.header("content-type")).isEqualTo("text/plain");
        assertThat(got.header("x-amz-meta-m")).isEqualTo("v");
        TestResponse second = bed.get("/" + bucket + "/a?partNumber=2");
        assertThat(second.status()).isEqualTo(206);
        assertThat(second.text()).isEqualTo(TWO);
        assertThat(second.header("x-amz-mp-parts-count")).isEqualTo("3");
        assertThat(second.header("content-range")).isEqualTo("bytes 1000-2499/2510");
        assertThat(bed.get("/" + bucket + "/a?partNumber=4").code()).isEqualTo("InvalidPartNumber");
        assertThat(bed.get("/" + bucket + "/a?uploadId=" + upload).code())
                .isEqualTo("NoSuchUpload");
    }

    @Test
    void fullObjectChecksumEqualsThatOfASinglePut() {
        String upload = create("crc");
        List<String> etags = upload("crc", upload);
        String combined =
                complete("crc", upload, etags)
                        .send()
                        .xml("CompleteMultipartUploadResult")
                        .childText("ChecksumCRC64NVME")
                        .orElseThrow();
        assertThat(
                        bed.put("/" + bucket + "/single", ONE + TWO + THREE)
                                .header("x-amz-checksum-crc64nvme"))
                .isEqualTo(combined);
        for (String algorithm : List.of("crc32", "crc32c")) {
            String full =
                    create(
                            algorithm,
                            "x-amz-checksum-algorithm",
                            algorithm,
                            "x-amz-checksum-type",
                            "full_object");
            TestResponse done = complete(algorithm, full, upload(algorithm, full)).send();
            String value =
                    done.xml("CompleteMultipartUploadResult")
                            .childText("Checksum" + algorithm.toUpperCase(Locale.ROOT))
                            .orElseThrow();
            assertThat(
                            bed.request("PUT", "/" + bucket + "/check")
                                    .header("x-amz-checksum-" + algorithm, value)
                                    .body(ONE + TWO + THREE)
                                    .send()
                                    .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void compositeChecksumsNameTheNumberOfParts() {
        String upload = create("sha", "x-amz-checksum-algorithm", "SHA256");
        List<String> etags = upload("sha", upload);
        TestResponse done = complete("sha", upload, etags).send();
        XmlElement result = done.xml("CompleteMultipartUploadResult");
        assertThat(result.childText("ChecksumSHA256").orElseThrow()).endsWith("-3");
        assertThat(result.childText("ChecksumType")).contains("COMPOSITE");
        TestResponse attributes =
                bed.request("GET", "/" + bucket + "/sha?attributes")
                        .header(
                                "x-amz-object-attributes",
                                "ETag,Checksum,ObjectParts,StorageClass,ObjectSize")
                        .send();
        XmlElement root = attributes.xml("GetObjectAttributesResponse");
        assertThat(root.childText("ObjectSize")).contains("2510");
        XmlElement checksum = root.child("Checksum").orElseThrow();
        assertThat(checksum.childText("ChecksumType")).contains("COMPOSITE");
        assertThat(checksum.childText("ChecksumSHA256").orElseThrow() + "-3")
                .isEqualTo(result.childText("ChecksumSHA256").orElseThrow());
        XmlElement parts = root.child("ObjectParts").orElseThrow();
        assertThat(parts.childText("PartsCount")).contains("3");
        assertThat(parts.all("Part").get(2).childText("ChecksumSHA256")).isPresent();
    }

    @Test
    void compositeChecksumsArePromisedWithTheNumberOfPartsOrWithout() {
        String first = create("first", "x-amz-checksum-algorithm", "CRC32C");
        String whole =
                complete("first", first, upload("first", first))
                        .send()
                        .xml("CompleteMultipartUploadResult")
                        .childText("ChecksumCRC32C")
                        .orElseThrow();
        String bare = whole.substring(0, whole.indexOf('-'));
        for (String promised : List.of(whole, bare)) {
            assertThat(completePromising(promised).status()).isEqualTo(200);
        }
        for (String promised : List.of(bare + "-2", "AAAAAA==", "AAAAAA==-3", bare + "-", "x")) {
            assertThat(completePromising(promised).code()).isEqualTo("BadDigest");
        }
        String upload = create("two", "x-amz-checksum-algorithm", "CRC32C");
        TestResponse two =
                complete("two", upload, upload("two", upload))
                        .header("x-amz-checksum-crc32c", whole)
                        .header("x-amz-checksum-sha256", whole)
                        .send();
        assertThat(two.code()).isEqualTo("InvalidRequest");
        assertThat(two.text()).contains("Expecting a single x-amz-checksum- header");
    }

    private TestResponse completePromising(String checksum) {
        String upload = create("again", "x-amz-checksum-algorithm", "CRC32C");
        return complete("again", upload, upload("again", upload))
                .header("x-amz-checksum-crc32c", checksum)
                .send();
    }

    @Test
    void refusesWrongPartsAndPromises() {
        String upload = create("bad");
        List<String> etags = upload("bad", upload);
        assertThat(complete("bad", upload, List.of(etags.get(0), "\"x\"")).send().code())
                .isEqualTo("InvalidPart");
        assertThat(complete("bad", upload, List.of()).send().code()).isEqualTo("MalformedXML");
        for (String size : List.of("1", "-1", "x", "99999999999999999999")) {
            TestRequest complete = complete("bad", upload, etags);
            assertThat(complete.header("x-amz-mp-object-size", size).send().code())
                    .as(size)
                    .isEqualTo("InvalidRequest");
        }
        assertThat(
                        complete("bad", upload, etags)
                                .header("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=")
                                .send()
                                .code())
                .isEqualTo("BadDigest");
        assertThat(complete("bad", upload, etags).header("if-match", "\"x\"").send().code())
                .isEqualTo("NoSuchKey");
        bed.request("PUT", "/" + bucket + "/bad?partNumber=1&uploadId=" + upload)
                .body(THREE)
                .send();
        List<String> small = new ArrayList<>(etags);
        small.set(0, "\"" + md5Hex(THREE) + "\"");
        assertThat(complete("bad", upload, small).send().code()).isEqualTo("EntityTooSmall");
        String swapped =
                "<CompleteMultipartUpload><Part><PartNumber>2</PartNumber><ETag>a</ETag></Part>"
                        + "<Part><PartNumber>1</PartNumber><ETag>b</ETag></Part>"
                        + "</CompleteMultipartUpload>";
        assertThat(
                        bed.request("POST", "/" + bucket + "/bad?uploadId=" + upload)
                                .body(swapped)
                                .send()
                                .code())
                .isEqualTo("InvalidPartOrder");
        assertThat(bed.get("/" + bucket + "/bad").code()).isEqualTo("NoSuchKey");
        assertThat(bed.request("DELETE", "/" + bucket + "/bad?uploadId=" + upload).send().status())
                .isEqualTo(204);
        assertThat(part("bad", upload, 1, ONE).code()).isEqualTo("NoSuchUpload");
    }

    private static String md5Hex(String text) {
        return HexFormat.of().formatHex(TestSigner.md5(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void refusesPartNumbersAndAlgorithmsThatDoNotFit() {
        String upload = create("n", "x-amz-checksum-algorithm", "CRC32C");
        for (String number : List.of("0", "10001", "-1", "x", "")) {
            assertThat(
                            bed.request(
                                            "PUT",
                                            "/"
                                                    + bucket
                                                    + "/n?partNumber="
                                                    + number
                                                    + "&uploadId="
                                                    + upload)
                                    .body(ONE)
                                    .send()
                                    .code())
                    .isEqualTo("InvalidArgument");
        }
        assertThat(
                        bed.request("PUT", "/" + bucket + "/n?partNumber=1&uploadId=" + upload)
                                .header("x-amz-checksum-crc32", "AAAAAA==")
                                .body(ONE)
                                .send()
                                .code())
                .isEqualTo("InvalidRequest");
        assertThat(bed.request("PUT", "/" + bucket + "/n?partNumber=1").body(ONE).send().code())
                .isEqualTo("InvalidArgument");
        for (String[] pair :
                new String[][] {
                    {"SHA1", "FULL_OBJECT"}, {"CRC64NVME", "COMPOSITE"}, {"MD4", "COMPOSITE"}
                }) {
            assertThat(
                            bed.request("POST", "/" + bucket + "/n?uploads")
                                    .header("x-amz-checksum-algorithm", pair[0])
                                    .header("x-amz-checksum-type", pair[1])
                                    .send()
                                    .code())
                    .isEqualTo("InvalidRequest");
        }
    }

    /** A browser reads the answer too, which then begins before it is made. */
    @Test
    void theAnswersOfCopiesAndCompletionsMayBeginEarly() {
        String own = bed.bucket();
        bed.put(
                "/" + own + "?cors",
                "<CORSConfiguration><CORSRule><AllowedOrigin>https://a</AllowedOrigin>"
                        + "<AllowedMethod>PUT</AllowedMethod><AllowedMethod>POST</AllowedMethod>"
                        + "</CORSRule></CORSConfiguration>");
        bed.put("/" + own + "/s", ONE);
        String upload = bed.request("POST", "/" + own + "/u?uploads").send().uploadId();
        String part = "/" + own + "/u?partNumber=1&uploadId=" + upload;
        TestRequest copied = bed.request("PUT", "/" + own + "/c");
        TestRequest partCopied = bed.request("PUT", part);
        String etag =
                partCopied
                        .header("x-amz-copy-source", own + "/s")
                        .send()
                        .xml("CopyPartResult")
                        .childText("ETag")
                        .orElseThrow();
        TestRequest completed =
                bed.request("POST", "/" + own + "/u?uploadId=" + upload)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + etag
                                        + "</ETag></Part></CompleteMultipartUpload>");
        for (TestRequest each :
                List.of(partCopied, copied.header("x-amz-copy-source", own + "/s"), completed)) {
            TestAllowance allowance = new TestAllowance(Long.MAX_VALUE);
            TestResponse answer = each.header("origin", "https://a").within(allowance).send();
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(allowance.events().getLast())
                    .startsWith("long content-type=application/xml")
                    .contains("access-control-allow-origin=https://a");
        }
        TestAllowance put = new TestAllowance(Long.MAX_VALUE);
        bed.request("PUT", "/" + own + "/p").body(ONE).within(put).send();
        assertThat(put.events().toString()).doesNotContain("long");
    }

    @Test
    void copiesRangesIntoParts() {
        bed.put("/" + bucket + "/source", ONE + TWO);
        String upload = create("pc");
        TestResponse copied = partCopy(upload, "bytes=500-1999");
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        String etag = copied.xml("CopyPartResult").childText("ETag").orElseThrow();
        assertThat(complete("pc", upload, List.of(etag)).send().status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/pc").text())
                .isEqualTo((ONE + TWO).substring(500, 2000));
        String other = create("pc");
        for (String range : List.of("bytes=0-", "bytes=-5", "0-5", "bytes=5-1", "bytes=x-y", "")) {
            assertThat(partCopy(other, range).code()).as(range).isEqualTo("InvalidArgument");
        }
        assertThat(partCopy(other, "bytes=0-2500").code()).isEqualTo("InvalidArgument");
    }

    private static TestResponse partCopy(String upload, String range) {
        return bed.request("PUT", "/" + bucket + "/pc?partNumber=1&uploadId=" + upload)
                .header("x-amz-copy-source", bucket + "/source")
                .header("x-amz-copy-source-range", range)
                .send();
    }

    @Test
    void listsUploadsWithMarkers() {
        String own = bed.bucket();
        List<String> ids = new ArrayList<>();
        for (String key : List.of("x", "x", "y/1", "y/2")) {
            ids.add(bed.request("POST", "/" + own + "/" + key + "?uploads").send().uploadId());
        }
        XmlElement page =
                bed.get("/" + own + "?uploads&max-uploads=1").xml("ListMultipartUploadsResult");
        assertThat(page.all("Upload").get(0).childText("UploadId")).contains(ids.get(0));
        assertThat(page.childText("IsTruncated")).contains("true");
        XmlElement rest =
                bed.get(
                                "/"
                                        + own
                                        + "?uploads&delimiter=%2F&key-marker=x&upload-id-marker="
                                        + page.childText("NextUploadIdMarker").orElseThrow())
                        .xml("ListMultipartUploadsResult");
        assertThat(rest.all("Upload")).hasSize(1);
        assertThat(rest.all("CommonPrefixes")).hasSize(1);
    }
}
