package io.volute.system.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

@ExtendWith(SharedServer.class)
class ListingIT {
    private final Store store;
    private final S3Client s3;

    ListingIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private String filled(String... keys) {
        String bucket = store.bucket();
        for (String key : keys) {
            store.put(bucket, key, key);
        }
        return bucket;
    }

    private static List<String> keys(ListObjectsV2Response page) {
        return page.contents().stream().map(S3Object::key).toList();
    }

    private static List<String> prefixes(ListObjectsV2Response page) {
        return page.commonPrefixes().stream().map(CommonPrefix::prefix).toList();
    }

    @Test
    void isInTheOrderOfBytesNotOfCharacters() {
        // U+FB00 sorts before U+10000 in UTF-8, after it in UTF-16.
        String[] keys = {"z", "a", "Z", "ﬀ", "\ud800\udc00", "é", "a/b", "a b", "a!", "a0"};
        String bucket = filled(keys);
        List<String> sorted = new ArrayList<>(List.of(keys));
        sorted.sort(
                Comparator.comparing(
                        key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket))))
                .containsExactlyElementsOf(sorted);
    }

    @Test
    void namesSizeTagAndTime() {
        String bucket = store.bucket();
        byte[] body = Bytes.random(1, 777);
        store.put(bucket, "key", body);
        S3Object only =
                s3.listObjectsV2(list -> list.bucket(bucket).fetchOwner(true))
                        .contents()
                        .getFirst();
        assertThat(only.size()).isEqualTo(777);
        assertThat(only.eTag()).isEqualTo('"' + Bytes.md5Hex(body) + '"');
        assertThat(only.storageClassAsString()).isEqualTo("STANDARD");
        assertThat(only.owner().id()).isNotEmpty();
        // Amazon stores whole seconds.
        assertThat(only.lastModified().getEpochSecond())
                .isEqualTo(
                        s3.headObject(head -> head.bucket(bucket).key("key"))
                                .lastModified()
                                .getEpochSecond());
    }

    @Test
    void groupsByDelimiter() {
        String bucket = filled("a", "d/1", "d/2", "d/e/3", "f/", "g//h", "z");
        ListObjectsV2Response root = s3.listObjectsV2(list -> list.bucket(bucket).delimiter("/"));
        assertThat(keys(root)).containsExactly("a", "z");
        assertThat(prefixes(root)).containsExactly("d/", "f/", "g/");
        assertThat(root.keyCount()).isEqualTo(5);
        ListObjectsV2Response below =
                s3.listObjectsV2(list -> list.bucket(bucket).delimiter("/").prefix("d/"));
        assertThat(keys(below)).containsExactly("d/1", "d/2");
        assertThat(prefixes(below)).containsExactly("d/e/");
        ListObjectsV2Response self =
                s3.listObjectsV2(list -> list.bucket(bucket).delimiter("/").prefix("f/"));
        assertThat(keys(self)).containsExactly("f/");
        ListObjectsV2Response doubled =
                s3.listObjectsV2(list -> list.bucket(bucket).delimiter("/").prefix("g/"));
        assertThat(prefixes(doubled)).containsExactly("g//");
        ListObjectsV2Response text = s3.listObjectsV2(list -> list.bucket(bucket).delimiter("/e"));
        assertThat(prefixes(text)).containsExactly("d/e");
    }

    @Test
    void anyPageSizeGivesTheSameListing() {
        Random random = new Random(11);
        TreeSet<String> all = new TreeSet<>();
        while (all.size() < 60) {
            all.add("p" + random.nextInt(8) + "/" + random.nextInt(12));
        }
        all.add("aa");
        all.add("zz");
        String bucket = filled(all.toArray(String[]::new));
        for (String delimiter : new String[] {null, "/"}) {
            List<String> expected = new ArrayList<>();
            for (String key : all) {
                int cut = delimiter == null ? -1 : key.indexOf(delimiter);
                String entry = cut < 0 ? key : key.substring(0, cut + 1);
                if (!expected.contains(entry)) {
                    expected.add(entry);
                }
            }
            for (int pageSize : new int[] {1, 2, 3, 10, 1000}) {
                assertThat(pagedV2(bucket, delimiter, pageSize))
                        .as("V2, delimiter %s, pages of %s", delimiter, pageSize)
                        .containsExactlyElementsOf(expected);
                assertThat(pagedV1(bucket, delimiter, pageSize))
                        .as("V1, delimiter %s, pages of %s", delimiter, pageSize)
                        .containsExactlyElementsOf(expected);
            }
        }
    }

    private List<String> pagedV2(String bucket, String delimiter, int pageSize) {
        List<String> seen = new ArrayList<>();
        String token = null;
        ListObjectsV2Response page;
        do {
            String from = token;
            page =
                    s3.listObjectsV2(
                            list ->
                                    list.bucket(bucket)
                                            .delimiter(delimiter)
                                            .maxKeys(pageSize)
                                            .continuationToken(from));
            List<String> entries = new ArrayList<>(keys(page));
            entries.addAll(prefixes(page));
            entries.sort(Comparator.naturalOrder());
            assertThat(entries).hasSizeLessThanOrEqualTo(pageSize);
            seen.addAll(entries);
            token = page.nextContinuationToken();
        } while (Boolean.TRUE.equals(page.isTruncated()));
        return seen;
    }

    private List<String> pagedV1(String bucket, String delimiter, int pageSize) {
        List<String> seen = new ArrayList<>();
        String marker = null;
        ListObjectsResponse page;
        do {
            String from = marker;
            page =
                    s3.listObjects(
                            list ->
                                    list.bucket(bucket)
                                            .delimiter(delimiter)
                                            .maxKeys(pageSize)
                                            .marker(from));
            List<String> entries =
                    new ArrayList<>(page.contents().stream().map(S3Object::key).toList());
            page.commonPrefixes().forEach(prefix -> entries.add(prefix.prefix()));
            entries.sort(Comparator.naturalOrder());
            seen.addAll(entries);
            // NextMarker comes only with a delimiter; without one the last key is the marker.
            marker = page.nextMarker() != null ? page.nextMarker() : seen.getLast();
        } while (Boolean.TRUE.equals(page.isTruncated()));
        return seen;
    }

    @Test
    void startsAfterAKeyThatNeedNotExist() {
        String bucket = filled("a", "b", "c", "d");
        assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket).startAfter("b"))))
                .containsExactly("c", "d");
        assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket).startAfter("bb"))))
                .containsExactly("c", "d");
        assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket).startAfter("zzz")))).isEmpty();
        assertThat(
                        s3
                                .listObjects(list -> list.bucket(bucket).marker("b").maxKeys(1))
                                .contents()
                                .stream()
                                .map(S3Object::key))
                .containsExactly("c");
    }

    @Test
    void ofNoKeysIsEmptyAndNotTruncated() {
        String bucket = filled("a", "b");
        ListObjectsV2Response none = s3.listObjectsV2(list -> list.bucket(bucket).maxKeys(0));
        assertThat(none.contents()).isEmpty();
        assertThat(none.isTruncated()).isFalse();
        ListObjectsV2Response empty =
                s3.listObjectsV2(list -> list.bucket(bucket).prefix("nothing/"));
        assertThat(empty.contents()).isEmpty();
        assertThat(empty.keyCount()).isZero();
    }

    @Test
    void encodesNamesThatXmlCannotHold() {
        String key = "bell\u0007 & ü/+ %";
        String bucket = filled(key);
        ListObjectsV2Response page =
                s3.listObjectsV2(list -> list.bucket(bucket).encodingType(EncodingType.URL));
        // The SDK decodes what the server encoded.
        assertThat(keys(page)).containsExactly(key);
    }

    @Test
    void seesEveryAcknowledgedChangeAtOnce() {
        String bucket = store.bucket();
        for (int i = 0; i < 30; i++) {
            String key = "key-%03d".formatted(i);
            store.put(bucket, key, key);
            assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket)))).hasSize(i + 1);
        }
        for (int i = 29; i >= 0; i--) {
            String key = "key-%03d".formatted(i);
            s3.deleteObject(delete -> delete.bucket(bucket).key(key));
            assertThat(keys(s3.listObjectsV2(list -> list.bucket(bucket)))).hasSize(i);
        }
    }
}
