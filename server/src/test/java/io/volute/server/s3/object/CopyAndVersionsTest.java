package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CopyObject with its directives, and what versions and delete markers look like to clients. */
final class CopyAndVersionsTest extends S3TestCase {
    private static String source(String bucket) {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/source%20%2B%C3%A4")
                        .header("content-type", "text/plain")
                        .header("x-amz-meta-a", "1")
                        .header("x-amz-tagging", "k=v&k2=%C3%A4")
                        .header("x-amz-website-redirect-location", "/r")
                        .body("content")
                        .send();
        assertThat(put.status()).isEqualTo(200);
        return "/" + bucket + "/source%20%2B%C3%A4";
    }

    @Test
    void copiesMetadataAndTagsUnlessToldOtherwise() {
        String bucket = bed.bucket();
        String source = source(bucket);
        TestResponse copy =
                bed.request("PUT", "/" + bucket + "/c").header("x-amz-copy-source", source).send();
        assertThat(copy.status()).as(copy.text()).isEqualTo(200);
        assertThat(copy.xml("CopyObjectResult").childText("ETag"))
                .contains("\"9a0364b9e99bb480dd25e1f0284c8555\"");
        TestResponse got = bed.get("/" + bucket + "/c");
        assertThat(got.text()).isEqualTo("content");
        assertThat(got.header("content-type")).isEqualTo("text/plain");
        assertThat(got.header("x-amz-meta-a")).isEqualTo("1");
        assertThat(got.header("x-amz-tagging-count")).isEqualTo("2");
        assertThat(got.hasHeader("x-amz-website-redirect-location")).isFalse();

        bed.request("PUT", "/" + bucket + "/r")
                .header("x-amz-copy-source", source)
                .header("x-amz-metadata-directive", "REPLACE")
                .header("x-amz-tagging-directive", "REPLACE")
                .header("x-amz-meta-b", "2")
                .send();
        TestResponse replaced = bed.get("/" + bucket + "/r");
        assertThat(replaced.header("content-type")).isEqualTo("binary/octet-stream");
        assertThat(replaced.hasHeader("x-amz-meta-a")).isFalse();
        assertThat(replaced.header("x-amz-meta-b")).isEqualTo("2");
        assertThat(replaced.hasHeader("x-amz-tagging-count")).isFalse();
        assertThat(
                        bed.request("PUT", "/" + bucket + "/r")
                                .header("x-amz-copy-source", source)
                                .header("x-amz-metadata-directive", "MERGE")
                                .send()
                                .code())
                .isEqualTo("InvalidArgument");
    }

    @Test
    void refusesACopyOntoItselfThatChangesNothing() {
        String bucket = bed.bucket();
        String source = source(bucket);
        assertThat(bed.request("PUT", source).header("x-amz-copy-source", source).send().code())
                .isEqualTo("InvalidRequest");
        for (String[] header :
                new String[][] {
                    {"x-amz-metadata-directive", "REPLACE"},
                    {"x-amz-storage-class", "STANDARD"},
                    {"x-amz-website-redirect-location", "/x"},
                    {"x-amz-checksum-algorithm", "SHA256"}
                }) {
            assertThat(
                            bed.request("PUT", source)
                                    .header("x-amz-copy-source", source)
                                    .header(header[0], header[1])
                                    .send()
                                    .status())
                    .as(header[0])
                    .isEqualTo(200);
        }
        assertThat(
                        bed.request("HEAD", source)
                                .header("x-amz-checksum-mode", "ENABLED")
                                .send()
                                .header("x-amz-checksum-sha256"))
                .isEqualTo("7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=");
    }

    @Test
    void readsDeletesAndRestoresVersions() {
        String bucket = bed.versionedBucket();
        String target = "/" + bucket + "/k";
        String first = bed.put(target, "one").header("x-amz-version-id");
        String second = bed.put(target, "two").header("x-amz-version-id");
        assertThat(bed.get(target + "?versionId=" + first).text()).isEqualTo("one");
        TestResponse deleted = bed.request("DELETE", target).send();
        String marker = deleted.header("x-amz-version-id");
        TestResponse gone = bed.get(target);
        assertThat(gone.code()).isEqualTo("NoSuchKey");
        assertThat(gone.header("x-amz-delete-marker")).isEqualTo("true");
        assertThat(gone.header("x-amz-version-id")).isEqualTo(marker);
        TestResponse named = bed.get(target + "?versionId=" + marker);
        assertThat(named.code()).isEqualTo("MethodNotAllowed");
        assertThat(named.header("allow")).isEqualTo("DELETE");
        assertThat(named.header("x-amz-delete-marker")).isEqualTo("true");
        assertThat(bed.get(target + "?versionId=v" + "0".repeat(25)).code())
                .isEqualTo("InvalidArgument");

        TestResponse undo =
                bed.request("PUT", target)
                        .header("x-amz-copy-source", bucket + "/k?versionId=" + first)
                        .send();
        assertThat(undo.status()).as(undo.text()).isEqualTo(200);
        assertThat(undo.header("x-amz-copy-source-version-id")).isEqualTo(first);
        assertThat(bed.get(target).text()).isEqualTo("one");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/m")
                                .header("x-amz-copy-source", bucket + "/k?versionId=" + marker)
                                .send()
                                .code())
                .isEqualTo("InvalidRequest");
        TestResponse removed = bed.request("DELETE", target + "?versionId=" + marker).send();
        assertThat(removed.header("x-amz-delete-marker")).isEqualTo("true");
        assertThat(removed.header("x-amz-version-id")).isEqualTo(marker);
        assertThat(bed.request("DELETE", target + "?versionId=" + second).send().status())
                .isEqualTo(204);
        assertThat(bed.get(target + "?versionId=" + second).code()).isEqualTo("NoSuchVersion");
    }

    @Test
    void suspendedBucketsWriteTheNullVersion() {
        String bucket = bed.versionedBucket();
        String target = "/" + bucket + "/k";
        String first = bed.put(target, "one").header("x-amz-version-id");
        bed.setVersioning(bucket, "Suspended");
        assertThat(bed.put(target, "two").header("x-amz-version-id")).isEmpty();
        assertThat(bed.put(target, "three").header("x-amz-version-id")).isEmpty();
        assertThat(bed.get(target).header("x-amz-version-id")).isEqualTo("null");
        assertThat(bed.get(target + "?versionId=null").text()).isEqualTo("three");
        assertThat(bed.get(target + "?versionId=" + first).text()).isEqualTo("one");
        assertThat(bed.get("/" + bucket + "?versioning").text())
                .contains("<Status>Suspended</Status>");
    }

    @Test
    void deletesManyWithAnOutcomeForEach() {
        String bucket = bed.versionedBucket();
        String id = bed.put("/" + bucket + "/a%3C", "1").header("x-amz-version-id");
        bed.put("/" + bucket + "/b", "1");
        String document =
                "<Delete><Object><Key>a&lt;</Key><VersionId>"
                        + id
                        + "</VersionId></Object><Object><Key>b</Key></Object>"
                        + "<Object><Key>c</Key><VersionId>bogus</VersionId></Object>"
                        + "<Object><Key>b</Key><ETag>\"x\"</ETag></Object></Delete>";
        TestResponse result = deleteObjects(bucket, document);
        assertThat(result.status()).as(result.text()).isEqualTo(200);
        var root = result.xml("DeleteResult");
        assertThat(root.all("Deleted")).hasSize(2);
        assertThat(root.all("Deleted").get(0).childText("VersionId")).contains(id);
        assertThat(root.all("Deleted").get(1).childText("DeleteMarker")).contains("true");
        assertThat(root.all("Error").get(0).childText("Code")).contains("NoSuchVersion");
        assertThat(root.all("Error")).hasSize(2);
        assertThat(bed.request("POST", "/" + bucket + "?delete").body(document).send().code())
                .isEqualTo("InvalidRequest");
        StringBuilder many = new StringBuilder("<Delete><Quiet>true</Quiet>");
        many.append("<Object><Key>k</Key></Object>".repeat(1000));
        TestResponse quiet = deleteObjects(bucket, many + "</Delete>");
        assertThat(quiet.xml("DeleteResult").children()).isEmpty();
        many.append("<Object><Key>k</Key></Object></Delete>");
        assertThat(deleteObjects(bucket, many.toString()).code()).isEqualTo("MalformedXML");
    }

    /** The document of a general purpose bucket has neither element, so nothing is deleted. */
    @ParameterizedTest
    @CsvSource({"Size,1", "Size,2", "LastModifiedTime,2026-11-21T10:00:00Z"})
    void conditionsOfDirectoryBucketsRefuseTheWholeDocument(String condition, String value) {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/a", "1");
        bed.put("/" + bucket + "/b", "1");
        TestResponse refused =
                deleteObjects(
                        bucket,
                        "<Delete><Object><Key>a</Key></Object><Object><Key>b</Key><%s>%s</%s>"
                                        .formatted(condition, value, condition)
                                + "</Object></Delete>");
        assertThat(refused.code()).isEqualTo("MalformedXML");
        assertThat(refused.text()).contains(condition);
        assertThat(bed.get("/" + bucket + "/a").status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/b").status()).isEqualTo(200);
    }

    private static TestResponse deleteObjects(String bucket, String document) {
        return bed.request("POST", "/" + bucket + "?delete")
                .body(document)
                .header(
                        "x-amz-checksum-sha256",
                        java.util.Base64.getEncoder()
                                .encodeToString(
                                        java.util.HexFormat.of()
                                                .parseHex(
                                                        TestSigner.sha256(
                                                                document.getBytes(
                                                                        java.nio.charset
                                                                                .StandardCharsets
                                                                                .UTF_8)))))
                .send();
    }

    @Test
    void tagsAreReadReplacedAndRemoved() {
        String bucket = bed.bucket();
        String target = source(bucket) + "?tagging";
        assertThat(bed.get(target).text())
                .contains("<Tag><Key>k</Key><Value>v</Value></Tag>")
                .contains("<Tag><Key>k2</Key><Value>ä</Value></Tag>");
        assertThat(putTags(target, 10, "v").status()).isEqualTo(200);
        assertThat(bed.get(target).xml("Tagging").child("TagSet").orElseThrow().children())
                .hasSize(10);
        assertThat(putTags(target, 11, "v").code()).isEqualTo("BadRequest");
        assertThat(putTags(target, 1, "v".repeat(256)).status()).isEqualTo(200);
        assertThat(putTags(target, 1, "v".repeat(257)).code()).isEqualTo("InvalidTag");
        assertThat(bed.request("DELETE", target).send().status()).isEqualTo(204);
        assertThat(bed.get(target).text()).doesNotContain("<Tag>");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/t")
                                .header("x-amz-tagging", "k".repeat(129) + "=v")
                                .send()
                                .code())
                .isEqualTo("InvalidTag");
        for (String header : List.of("a=%ZZ", "a%=b", "=", "=b", "a=1&b=2&a=1")) {
            assertThat(
                            bed.request("PUT", "/" + bucket + "/t")
                                    .header("x-amz-tagging", header)
                                    .send()
                                    .code())
                    .as(header)
                    .isEqualTo("InvalidArgument");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'a z + - = . _ : / @ 9 \u00e4 \u65e5',200",
        "user!name,InvalidTag",
        "data%20,InvalidTag",
        "'comma,separated',InvalidTag",
        "(parentheses),InvalidTag",
        "tab\there,InvalidTag"
    })
    void tagsAreOfLettersNumbersSpacesAndSomeSigns(String text, String expected) {
        String target = source(bed.bucket()) + "?tagging";
        assertThat(putTags(target, 1, text).code()).as("value").isEqualTo(expected);
        String key = "<Tagging><TagSet><Tag><Key>" + text + "</Key><Value>v</Value></Tag></TagSet>";
        assertThat(bed.request("PUT", target).body(key + "</Tagging>").send().code())
                .as("key")
                .isEqualTo(expected);
    }

    private static TestResponse putTags(String target, int count, String value) {
        StringBuilder document = new StringBuilder("<Tagging><TagSet>");
        for (int i = 0; i < count; i++) {
            document.append("<Tag><Key>k").append(i).append("</Key><Value>");
            document.append(value).append("</Value></Tag>");
        }
        return bed.request("PUT", target).body(document + "</TagSet></Tagging>").send();
    }
}
