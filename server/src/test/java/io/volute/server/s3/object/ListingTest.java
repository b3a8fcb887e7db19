package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.xml.XmlElement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The three listings of objects, and of buckets. */
final class ListingTest extends S3TestCase {
    private static final String BUCKETS = "ListAllMyBucketsResult";
    private static String bucket;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
        for (String key : List.of("a", "b%2F1", "b%2F2", "c%20%2B%26", "d%2Fx%2Fy", "%01")) {
            bed.put("/" + bucket + "/" + key.replace("%2F", "/"), "x");
        }
    }

    private static List<String> texts(XmlElement root, String element, String child) {
        return root.all(element).stream().map(e -> e.childText(child).orElse("")).toList();
    }

    private static XmlElement list(String query) {
        TestResponse response = bed.get("/" + bucket + query);
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return response.xml("ListBucketResult");
    }

    @Test
    void listsInByteOrderWithPrefixAndDelimiter() {
        XmlElement plain = list("?list-type=2&encoding-type=url");
        assertThat(texts(plain, "Contents", "Key"))
                .containsExactly("%01", "a", "b/1", "b/2", "c%20%2B%26", "d/x/y");
        assertThat(plain.childText("KeyCount")).contains("6");
        assertThat(plain.childText("IsTruncated")).contains("false");
        XmlElement grouped = list("?list-type=2&delimiter=%2F&prefix=&encoding-type=url");
        assertThat(texts(grouped, "Contents", "Key")).containsExactly("%01", "a", "c%20%2B%26");
        assertThat(texts(grouped, "CommonPrefixes", "Prefix")).containsExactly("b/", "d/");
        assertThat(grouped.childText("KeyCount")).contains("5");
        XmlElement inside = list("?list-type=2&delimiter=%2F&prefix=b%2F");
        assertThat(texts(inside, "Contents", "Key")).containsExactly("b/1", "b/2");
        XmlElement first = inside.all("Contents").get(0);
        assertThat(first.childText("Size")).contains("1");
        assertThat(first.childText("StorageClass")).contains("STANDARD");
        assertThat(first.childText("ETag")).contains("\"9dd4e461268c8034f5c8564e155c67a6\"");
        assertThat(first.childText("LastModified")).contains("2026-11-21T10:00:00.000Z");
        assertThat(first.child("Owner")).isEmpty();
        assertThat(
                        list("?list-type=2&fetch-owner=true&prefix=a")
                                .all("Contents")
                                .get(0)
                                .child("Owner")
                                .orElseThrow()
                                .childText("ID"))
                .contains("root");
    }

    @Test
    void writesControlCharactersAsS3Does() {
        assertThat(bed.get("/" + bucket + "?list-type=2&max-keys=1").text())
                .contains("<Key>&#1;</Key>");
    }

    @Test
    void pagesWithTokensGiveEveryKeyOnce() {
        for (int size = 1; size <= 6; size++) {
            List<String> seen = new ArrayList<>();
            String token = "";
            do {
                XmlElement page =
                        list(
                                "?list-type=2&encoding-type=url&delimiter=%2F&max-keys="
                                        + size
                                        + (token.isEmpty()
                                                ? ""
                                                : "&continuation-token="
                                                        + token.replace("=", "%3D")));
                seen.addAll(texts(page, "Contents", "Key"));
                seen.addAll(texts(page, "CommonPrefixes", "Prefix"));
                token = page.childText("NextContinuationToken").orElse("");
                assertThat(page.childText("IsTruncated"))
                        .contains(token.isEmpty() ? "false" : "true");
            } while (!token.isEmpty());
            assertThat(seen).containsExactlyInAnyOrder("%01", "a", "c%20%2B%26", "b/", "d/");
        }
    }

    @Test
    void aTokenIsOneThatThisListingAnswered() {
        String first = "?list-type=2&encoding-type=url&max-keys=1";
        String token = list(first).childText("NextContinuationToken").orElseThrow();
        assertThat(texts(list(first + "&continuation-token=" + token), "Contents", "Key"))
                .containsExactly("a");
        String next = "?list-type=2&continuation-token=";
        String other = bed.bucket();
        for (String wrong : List.of("a", "YQ", "AAAA", "eyJrIjoiYSJ9", "%C3%A9", "a".repeat(900))) {
            assertThat(bed.get("/" + bucket + next + wrong).code()).isEqualTo("InvalidArgument");
            assertThat(bed.get("/?continuation-token=" + wrong).code())
                    .isEqualTo("InvalidArgument");
        }
        assertThat(bed.get("/" + other + next + token).code()).isEqualTo("InvalidArgument");
        assertThat(bed.get("/?continuation-token=" + token).code()).isEqualTo("InvalidArgument");
        for (int i = 0; i < token.length(); i++) {
            char changed = token.charAt(i) == 'A' ? 'B' : 'A';
            String spoilt = token.substring(0, i) + changed + token.substring(i + 1);
            assertThat(bed.get("/" + bucket + next + spoilt).code())
                    .as(spoilt)
                    .isEqualTo("InvalidArgument");
        }
        assertThat(bed.get("/?continuation-token=").status()).isEqualTo(200);
    }

    @Test
    void firstVersionGivesNextMarkerOnlyWithDelimiter() {
        XmlElement plain = list("?max-keys=2&encoding-type=url");
        assertThat(texts(plain, "Contents", "Key")).containsExactly("%01", "a");
        assertThat(plain.childText("NextMarker")).isEmpty();
        assertThat(plain.all("Contents").get(0).child("Owner")).isPresent();
        XmlElement grouped = list("?max-keys=3&delimiter=%2F&encoding-type=url");
        assertThat(grouped.childText("NextMarker")).contains("b/");
        XmlElement rest = list("?marker=b%2F&delimiter=%2F&encoding-type=url");
        assertThat(texts(rest, "CommonPrefixes", "Prefix")).containsExactly("d/");
        assertThat(rest.childText("Marker")).contains("b/");
    }

    @Test
    void refusesArgumentsThatMakeNoSense() {
        for (String query :
                List.of(
                        "?list-type=1",
                        "?list-type=2&max-keys=-1",
                        "?list-type=2&max-keys=x",
                        "?max-keys=99999999999",
                        "?encoding-type=base64",
                        "?list-type=2&continuation-token=%21%21",
                        "?versions&version-id-marker=null",
                        "?versions&key-marker=a&version-id-marker=bogus")) {
            assertThat(bed.get("/" + bucket + query).code()).as(query).isEqualTo("InvalidArgument");
        }
        XmlElement front = list("?list-type=2&encoding-type=url&continuation-token=&max-keys=1");
        assertThat(texts(front, "Contents", "Key")).containsExactly("%01");
        assertThat(front.childText("ContinuationToken")).contains("");
        XmlElement none = list("?list-type=2&max-keys=0");
        assertThat(none.childText("IsTruncated")).contains("false");
        assertThat(none.childText("MaxKeys")).contains("0");
        assertThat(list("?list-type=2&encoding-type=url&max-keys=5000").childText("MaxKeys"))
                .contains("1000");
    }

    @Test
    void versionsComeNewestFirstWithMarkers() {
        String versioned = bed.versionedBucket();
        String first = bed.put("/" + versioned + "/k", "1").header("x-amz-version-id");
        String second = bed.put("/" + versioned + "/k", "2").header("x-amz-version-id");
        TestResponse deleted = bed.request("DELETE", "/" + versioned + "/k").send();
        assertThat(deleted.header("x-amz-delete-marker")).isEqualTo("true");
        String marker = deleted.header("x-amz-version-id");
        XmlElement all = bed.get("/" + versioned + "?versions").xml("ListVersionsResult");
        assertThat(texts(all, "Version", "VersionId")).containsExactly(second, first);
        assertThat(texts(all, "Version", "IsLatest")).containsExactly("false", "false");
        assertThat(texts(all, "DeleteMarker", "VersionId")).containsExactly(marker);
        assertThat(texts(all, "DeleteMarker", "IsLatest")).containsExactly("true");

        XmlElement page =
                bed.get("/" + versioned + "?versions&max-keys=2").xml("ListVersionsResult");
        assertThat(page.childText("NextKeyMarker")).contains("k");
        assertThat(page.childText("NextVersionIdMarker")).contains(second);
        XmlElement rest =
                bed.get("/" + versioned + "?versions&key-marker=k&version-id-marker=" + second)
                        .xml("ListVersionsResult");
        assertThat(texts(rest, "Version", "VersionId")).containsExactly(first);
    }

    /** Long metadata is not in the index, from which listings are made. */
    @ParameterizedTest
    @CsvSource({"GLACIER,0", "STANDARD_IA,200", "STANDARD,200", "REDUCED_REDUNDANCY,0"})
    void everyAnswerHasTheStorageClassOfTheObject(String storageClass, int metadataBytes) {
        String target = "/" + bed.versionedBucket();
        for (int version = 0; version < 2; version++) {
            assertThat(
                            bed.request("PUT", target + "/k")
                                    .header("x-amz-storage-class", storageClass)
                                    .header("content-type", "text/odd")
                                    .header("x-amz-meta-note", "n".repeat(metadataBytes))
                                    .body("x")
                                    .send()
                                    .status())
                    .isEqualTo(200);
        }
        for (String query : List.of("", "?list-type=2")) {
            XmlElement page = bed.get(target + query).xml("ListBucketResult");
            assertThat(texts(page, "Contents", "StorageClass")).containsExactly(storageClass);
        }
        XmlElement versions = bed.get(target + "?versions").xml("ListVersionsResult");
        assertThat(texts(versions, "Version", "StorageClass"))
                .containsExactly(storageClass, storageClass);
        XmlElement attributes =
                bed.request("GET", target + "/k?attributes")
                        .header("x-amz-object-attributes", "StorageClass")
                        .send()
                        .xml("GetObjectAttributesResponse");
        assertThat(attributes.childText("StorageClass")).contains(storageClass);

        String upload =
                bed.request("POST", target + "/u?uploads")
                        .header("x-amz-storage-class", storageClass)
                        .send()
                        .xml("InitiateMultipartUploadResult")
                        .childText("UploadId")
                        .orElseThrow();
        XmlElement uploads = bed.get(target + "?uploads").xml("ListMultipartUploadsResult");
        assertThat(texts(uploads, "Upload", "StorageClass")).containsExactly(storageClass);
        XmlElement parts = bed.get(target + "/u?uploadId=" + upload).xml("ListPartsResult");
        assertThat(parts.childText("StorageClass")).contains(storageClass);
    }

    @Test
    void bucketsAreTheCallersOwnAndRootSeesAll() {
        String alices = bed.bucketOf(bed.alice());
        XmlElement hers = bed.request("GET", "/").sendAs(bed.alice()).xml(BUCKETS);
        assertThat(texts(hers.child("Buckets").orElseThrow(), "Bucket", "Name"))
                .contains(alices)
                .doesNotContain(bucket);
        assertThat(hers.child("Owner").orElseThrow().childText("DisplayName")).contains("Alice");
        XmlElement page = bed.request("GET", "/?max-buckets=1").send().xml(BUCKETS);
        assertThat(texts(page.child("Buckets").orElseThrow(), "Bucket", "Name")).hasSize(1);
        String token = page.childText("ContinuationToken").orElseThrow();
        XmlElement rest =
                bed.request("GET", "/?continuation-token=" + token.replace("=", "%3D"))
                        .send()
                        .xml(BUCKETS);
        assertThat(texts(rest.child("Buckets").orElseThrow(), "Bucket", "Name"))
                .contains(alices)
                .doesNotContainAnyElementsOf(
                        texts(page.child("Buckets").orElseThrow(), "Bucket", "Name"));
    }

    @Test
    void bucketsCanBeAskedForByRegionAndPrefix() {
        XmlElement here = bed.get("/?bucket-region=us-east-1&prefix=" + bucket).xml(BUCKETS);
        assertThat(texts(here.child("Buckets").orElseThrow(), "Bucket", "Name")).contains(bucket);
        assertThat(here.childText("Prefix")).contains(bucket);
        XmlElement elsewhere = bed.get("/?bucket-region=eu-west-1").xml(BUCKETS);
        assertThat(elsewhere.child("Buckets").orElseThrow().children()).isEmpty();
        assertThat(elsewhere.child("ContinuationToken")).isEmpty();
        for (String count : List.of("0", "10001", "x")) {
            assertThat(bed.get("/?max-buckets=" + count).code()).isEqualTo("InvalidArgument");
        }
    }
}
