package io.volute.versioning.object;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static io.volute.versioning.value.BucketInfo.VersioningState.SUSPENDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Listing;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Listings: order, prefixes, delimiters, markers. */
class ListingTest extends StoreFixture {

    private void putAll(String... keys) throws IOException {
        for (String key : keys) {
            put(key, "body of " + key);
        }
    }

    private ObjectPage list(String prefix, String delimiter, String after, int max)
            throws IOException {
        return store.listObjects(ALICE, BUCKET, new ObjectQuery(prefix, delimiter, after, max));
    }

    private static List<String> keys(ObjectPage page) {
        return page.objects().stream().map(object -> object.key().value()).toList();
    }

    @Test
    void keysComeInBytewiseOrder() throws IOException {
        putAll(
                "b",
                "a",
                "a\u0000",
                "a\u0000b",
                "a\u0001",
                "B",
                "é",
                "\uD83D\uDE00",
                "\uFFFD",
                "aa");
        assertThat(keys(list("", "", "", 1000)))
                .containsExactly(
                        "B",
                        "a",
                        "a\u0000",
                        "a\u0000b",
                        "a\u0001",
                        "aa",
                        "b",
                        "é",
                        "\uFFFD",
                        "\uD83D\uDE00");
    }

    @Test
    void listedObjectsCarryEtagSizeAndTime() throws IOException {
        ObjectVersion put = put("a", "one");
        ObjectVersion listed = list("", "", "", 1).objects().getFirst();
        assertThat(listed.attributes().etag()).isEqualTo(md5("one"));
        assertThat(listed.bytes()).isEqualTo(3);
        assertThat(listed.modified()).isEqualTo(put.modified());
        assertThat(listed.owner()).isEqualTo("alice");
        assertThat(listed.latest()).isTrue();
    }

    @Test
    void anObjectIsListedAsSoonAsItIsPut() throws IOException {
        for (int i = 0; i < 20; i++) {
            putAll("k" + i);
            assertThat(keys(list("k" + i, "", "", 1))).containsExactly("k" + i);
        }
    }

    @Test
    void prefixAndMarkerNarrow() throws IOException {
        putAll("a", "b/1", "b/2", "b/3", "c");
        assertThat(keys(list("b/", "", "", 1000))).containsExactly("b/1", "b/2", "b/3");
        assertThat(keys(list("b/", "", "b/1", 1000))).containsExactly("b/2", "b/3");
        assertThat(keys(list("b/", "", "b/15", 1000))).containsExactly("b/2", "b/3");
        assertThat(keys(list("b/", "", "a", 1000))).containsExactly("b/1", "b/2", "b/3");
        assertThat(keys(list("b/", "", "c", 1000))).isEmpty();
        assertThat(keys(list("", "", "b/2", 1000))).containsExactly("b/3", "c");
        assertThat(keys(list("nothing", "", "", 1000))).isEmpty();
    }

    @Test
    void delimiterRollsUpKeys() throws IOException {
        putAll("a", "b/1", "b/2", "b/c/3", "c", "d/");
        ObjectPage page = list("", "/", "", 1000);
        assertThat(keys(page)).containsExactly("a", "c");
        assertThat(page.prefixes()).containsExactly("b/", "d/");
        ObjectPage inside = list("b/", "/", "", 1000);
        assertThat(keys(inside)).containsExactly("b/1", "b/2");
        assertThat(inside.prefixes()).containsExactly("b/c/");
        assertThat(keys(list("d/", "/", "", 1000))).containsExactly("d/");
    }

    @Test
    void delimitersMayBeLongAndMayContainZeros() throws IOException {
        putAll("a::b", "a::c", "a:d", "x\u0000y", "x\u0000z");
        ObjectPage page = list("", "::", "", 1000);
        assertThat(page.prefixes()).containsExactly("a::");
        assertThat(keys(page)).containsExactly("a:d", "x\u0000y", "x\u0000z");
        assertThat(list("", "\u0000", "", 1000).prefixes()).containsExactly("x\u0000");
        assertThat(list("", ":", "", 1000).prefixes()).containsExactly("a:");
    }

    @Test
    void aMarkerThatIsACommonPrefixSkipsAllUnderIt() throws IOException {
        putAll("a/1", "a/2", "b/1", "c");
        ObjectPage first = list("", "/", "", 1);
        assertThat(first.prefixes()).containsExactly("a/");
        assertThat(first.next()).contains("a/");
        ObjectPage second = list("", "/", "a/", 1);
        assertThat(second.prefixes()).containsExactly("b/");
        ObjectPage inside = list("", "/", "b/1", 5);
        assertThat(inside.prefixes()).isEmpty();
        assertThat(keys(inside)).containsExactly("c");
        assertThat(inside.next()).isEmpty();
    }

    @Test
    void deleteMarkersAreNotListedAndMakeNoCommonPrefix() throws IOException {
        versioning(ENABLED);
        putAll("a/1", "b/1", "b/2", "c");
        delete("a/1");
        delete("b/1");
        delete("c");
        ObjectPage page = list("", "/", "", 1);
        assertThat(page.prefixes()).containsExactly("b/");
        assertThat(page.next()).as("only a marker is behind").isEmpty();
    }

    @Test
    void truncationIsToldExactly() throws IOException {
        putAll("a", "b");
        assertThat(list("", "", "", 2).next()).isEmpty();
        assertThat(list("", "", "", 1).next()).contains("a");
        ObjectPage none = list("", "", "", 0);
        assertThat(keys(none)).isEmpty();
        assertThat(none.next()).isEmpty();
        refused(Reason.INVALID_ARGUMENT, () -> list("", "", "", 1001));
        refused(Reason.INVALID_ARGUMENT, () -> list("", "", "", -1));
    }

    @Test
    void moreThanAThousandKeysAreListedInPages() throws IOException {
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            String key = String.format("k%05d", i);
            wanted.add(key);
            putAll(key);
        }
        List<String> listed = new ArrayList<>();
        Optional<String> after = Optional.of("");
        int pages = 0;
        while (after.isPresent()) {
            ObjectPage page = list("", "", after.get(), 1000);
            listed.addAll(keys(page));
            after = page.next();
            pages++;
        }
        assertThat(listed).isEqualTo(wanted);
        assertThat(pages).isEqualTo(3);
    }

    private VersionPage versions(
            String prefix, String delimiter, String key, String version, int max)
            throws IOException {
        Optional<VersionSelector> marker =
                version.isEmpty() ? Optional.empty() : VersionId.parse(version);
        return store.listVersions(
                ALICE, BUCKET, new VersionQuery(prefix, delimiter, key, marker, max));
    }

    @Test
    void versionsAreListedNewestFirstWithinAKey() throws IOException {
        put("b", "null");
        versioning(ENABLED);
        ObjectVersion one = put("a", "one");
        ObjectVersion two = put("a", "two");
        delete("b");
        put("c", "x");
        assertThat(chain()).containsExactly("a id*", "a id", "b id*-", "b null", "c id*");
        assertThat(versions("", "", "a", two.versionId(), 1).versions().getFirst().number())
                .isEqualTo(one.number());
        assertThat(versions("", "", "a", one.versionId(), 1).versions().getFirst().key())
                .isEqualTo(key("b"));
        assertThat(versions("", "", "a", "", 1).versions().getFirst().key()).isEqualTo(key("b"));
        assertThat(versions("c", "", "a", one.versionId(), 9).versions()).hasSize(1);
        assertThat(versions("", "", "b", "null", 1).versions().getFirst().key())
                .isEqualTo(key("c"));
    }

    @Test
    void versionMarkerNeedsAKeyMarker() {
        refused(Reason.INVALID_ARGUMENT, () -> versions("", "", "", "null", 9));
    }

    @Test
    void versionsRollUpIntoPrefixes() throws IOException {
        versioning(ENABLED);
        putAll("a/1", "a/1", "a/2", "b", "b", "c/1");
        delete("c/1");
        VersionPage page = versions("", "/", "", "", 1000);
        assertThat(page.prefixes()).containsExactly("a/", "c/");
        assertThat(page.versions()).hasSize(2);
        VersionPage first = versions("", "/", "", "", 1);
        assertThat(first.nextKey()).contains("a/");
        assertThat(first.nextVersionId()).isEmpty();
        VersionPage second = versions("", "/", "a/", "", 1);
        assertThat(second.versions().getFirst().key()).isEqualTo(key("b"));
        assertThat(second.nextVersionId()).isPresent();
    }

    @Test
    void pagingGoesOnWhenTheMarkersVersionIsGone() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        versioning(SUSPENDED);
        put("a", "null");
        versioning(ENABLED);
        put("a", "three");
        VersionPage page = versions("", "", "", "", 2);
        assertThat(page.versions().getLast().nullVersion()).isTrue();
        assertThat(delete("a", VersionSelector.NULL).version()).isPresent();
        VersionPage rest =
                versions("", "", page.nextKey().orElseThrow(), page.nextVersionId().get(), 9);
        assertThat(rest.versions()).hasSize(1);
        assertThat(rest.versions().getFirst().nullVersion()).isFalse();
    }

    @Test
    void moreThanAThousandVersionsOfOneKeyAreListedInPages() throws IOException {
        versioning(ENABLED);
        put("a", "before");
        for (int i = 0; i < 2300; i++) {
            put("k", "v" + i);
        }
        put("z", "behind");
        List<ObjectVersion> all = allVersions();
        assertThat(all).hasSize(2302);
        assertThat(all.stream().map(ObjectVersion::versionId)).doesNotHaveDuplicates();
        assertThat(all.get(1).latest()).isTrue();
        assertThat(all.get(2).latest()).isFalse();
        for (int i = 2; i < 2300; i++) {
            assertThat(all.get(i).number()).isGreaterThan(all.get(i + 1).number());
        }
    }

    private UploadPage uploads(String prefix, String delimiter, String key, String id, int max)
            throws IOException {
        return store.listUploads(ALICE, BUCKET, new UploadQuery(prefix, delimiter, key, id, max));
    }

    private static List<String> uploadIds(UploadPage page) {
        return page.uploads().stream().map(Listing.UploadInfo::uploadId).toList();
    }

    @Test
    void uploadsAreListedByKeyAndThenByInitiation() throws IOException {
        String b1 = createUpload("b");
        String a1 = createUpload("a");
        String b2 = createUpload("b");
        String deep = createUpload("d/1");
        assertThat(uploadIds(uploads("", "", "", "", 1000))).containsExactly(a1, b1, b2, deep);
        assertThat(uploadIds(uploads("", "", "b", b1, 1000))).containsExactly(b2, deep);
        assertThat(uploadIds(uploads("", "", "b", "", 1000))).containsExactly(deep);
        assertThat(uploadIds(uploads("b", "", "", "", 1000))).containsExactly(b1, b2);
        assertThat(uploadIds(uploads("", "", "", b1, 1))).containsExactly(a1);
        UploadPage rolled = uploads("", "/", "", "", 1000);
        assertThat(rolled.prefixes()).containsExactly("d/");
        UploadPage page = uploads("", "", "", "", 2);
        assertThat(page.nextKey()).contains("b");
        assertThat(page.nextUploadId()).contains(b1);
        assertThat(uploads("", "", "", "", 0).nextKey()).isEmpty();
        refused(Reason.INVALID_ARGUMENT, () -> uploads("", "", "b", "nonsense", 9));
    }

    @Test
    void otherBucketsAreNeverSeen() throws IOException {
        BucketName other = new BucketName("other");
        assertThat(store.createBucket(ALICE, other).id()).isPositive();
        putAll("a");
        createUpload("a");
        assertThat(store.listObjects(ALICE, other, new ObjectQuery("", "", "", 9)).objects())
                .isEmpty();
        assertThat(store.listUploads(ALICE, other, new UploadQuery("", "", "", "", 9)).uploads())
                .isEmpty();
    }
}
