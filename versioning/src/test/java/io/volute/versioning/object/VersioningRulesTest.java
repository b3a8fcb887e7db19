package io.volute.versioning.object;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static io.volute.versioning.value.BucketInfo.VersioningState.SUSPENDED;
import static io.volute.versioning.value.BucketInfo.VersioningState.UNVERSIONED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** S3's rules for versions, null versions and delete markers, one by one. */
class VersioningRulesTest extends StoreFixture {

    @Test
    void unversionedPutReplacesTheObject() throws IOException {
        put("a", "one");
        ObjectVersion second = put("a", "two");
        assertThat(get("a")).isEqualTo("two");
        assertThat(second.versionId()).isEqualTo("null");
        assertThat(chain()).containsExactly("a null*");
    }

    @Test
    void unversionedDeleteRemovesTheObject() throws IOException {
        put("a", "one");
        DeleteResult result = delete("a");
        assertThat(result.markerCreated()).isFalse();
        assertThat(result.version()).isPresent();
        assertThat(head("a")).isEmpty();
        assertThat(chain()).isEmpty();
    }

    @Test
    void unversionedDeleteOfMissingKeySucceedsAndMakesNothing() throws IOException {
        assertThat(delete("a")).isEqualTo(new DeleteResult(Optional.empty(), false, false));
        assertThat(chain()).isEmpty();
    }

    @Test
    void unversionedObjectIsItsNullVersion() throws IOException {
        put("a", "one");
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("one");
        assertThat(delete("a", VersionSelector.NULL).version()).isPresent();
        assertThat(chain()).isEmpty();
    }

    @Test
    void enabledPutKeepsEveryVersion() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        ObjectVersion second = put("a", "two");
        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(get("a")).isEqualTo("two");
        assertThat(get("a", number(first))).isEqualTo("one");
        assertThat(head("a", number(first)).orElseThrow().latest()).isFalse();
        assertThat(chain()).containsExactly("a id*", "a id");
    }

    @Test
    void versionsAreInTheOrderOfTheirWritesWhateverTheClockSays() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        turnClockTo(first.modified().minusSeconds(3600));
        ObjectVersion second = put("a", "two");
        turnClockTo(first.modified().minusSeconds(7200));
        store = reopen();
        ObjectVersion third = put("a", "three");
        turnClockTo(third.modified().minusSeconds(1));
        ObjectVersion sameTime = put("a", "four");
        assertThat(second.modified()).isBefore(first.modified());
        assertThat(sameTime.modified()).isEqualTo(third.modified());
        assertThat(get("a")).isEqualTo("four");
        assertThat(head("a", number(third)).orElseThrow().latest()).isFalse();
        assertThat(
                        store.listVersions(
                                        ALICE,
                                        BUCKET,
                                        new VersionQuery("", "", "", Optional.empty(), 10))
                                .versions())
                .extracting(ObjectVersion::number)
                .containsExactly(
                        sameTime.number(), third.number(), second.number(), first.number());
    }

    @Test
    void enablingKeepsTheObjectAsNullVersion() throws IOException {
        put("a", "before");
        versioning(ENABLED);
        put("a", "after");
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("before");
        assertThat(chain()).containsExactly("a id*", "a null");
    }

    @Test
    void enabledDeleteMakesAMarkerThatHidesTheObject() throws IOException {
        versioning(ENABLED);
        ObjectVersion object = put("a", "one");
        DeleteResult result = delete("a");
        assertThat(result.markerCreated()).isTrue();
        assertThat(result.version().orElseThrow().deleteMarker()).isTrue();
        assertThat(result.version().orElseThrow().owner()).isEqualTo("alice");
        assertThat(head("a").orElseThrow().deleteMarker()).isTrue();
        refused(Reason.IS_DELETE_MARKER, () -> get("a"));
        assertThat(get("a", number(object))).isEqualTo("one");
        assertThat(chain()).containsExactly("a id*-", "a id");
    }

    @Test
    void enabledDeleteOfKeyThatNeverExistedMakesAMarker() throws IOException {
        versioning(ENABLED);
        assertThat(delete("ghost").markerCreated()).isTrue();
        assertThat(chain()).containsExactly("ghost id*-");
    }

    @Test
    void deletesStackMarkers() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        delete("a");
        delete("a");
        assertThat(chain()).containsExactly("a id*-", "a id-", "a id");
    }

    @Test
    void deletingTheMarkerRestoresTheObject() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        ObjectVersion marker = delete("a").version().orElseThrow();
        DeleteResult result = delete("a", number(marker));
        assertThat(result.markerRemoved()).isTrue();
        assertThat(result.markerCreated()).isFalse();
        assertThat(get("a")).isEqualTo("one");
        assertThat(head("a").orElseThrow().latest()).isTrue();
    }

    @Test
    void deletingTheCurrentVersionPromotesTheNextNewest() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        ObjectVersion second = put("a", "two");
        ObjectVersion third = put("a", "three");
        delete("a", number(third));
        assertThat(get("a")).isEqualTo("two");
        assertThat(head("a").orElseThrow().number()).isEqualTo(second.number());
        assertThat(chain()).containsExactly("a id*", "a id");
    }

    @Test
    void deletingANoncurrentVersionLeavesTheCurrentOne() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        put("a", "two");
        delete("a", number(first));
        assertThat(get("a")).isEqualTo("two");
        refused(Reason.NO_SUCH_VERSION, () -> get("a", number(first)));
        assertThat(chain()).containsExactly("a id*");
    }

    @Test
    void deletingAVersionThatIsNotThereSucceeds() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        DeleteResult result = delete("a", new VersionSelector.Numbered(1L << 40));
        assertThat(result.version()).isEmpty();
        assertThat(delete("a", VersionSelector.NULL).version()).isEmpty();
        assertThat(chain()).containsExactly("a id*");
    }

    @Test
    void deletingTheLastVersionRemovesTheKey() throws IOException {
        versioning(ENABLED);
        ObjectVersion only = put("a", "one");
        delete("a", number(only));
        assertThat(head("a")).isEmpty();
        assertThat(chain()).isEmpty();
    }

    @Test
    void suspendedPutReplacesANoncurrentNullVersion() throws IOException {
        put("a", "null one");
        versioning(ENABLED);
        ObjectVersion kept = put("a", "kept");
        versioning(SUSPENDED);
        ObjectVersion replacement = put("a", "null two");
        assertThat(replacement.versionId()).isEqualTo("null");
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("null two");
        assertThat(get("a", number(kept))).isEqualTo("kept");
        assertThat(chain()).containsExactly("a null*", "a id");
    }

    @Test
    void suspendedPutReplacesACurrentNullVersion() throws IOException {
        versioning(ENABLED);
        put("a", "kept");
        versioning(SUSPENDED);
        put("a", "null one");
        put("a", "null two");
        assertThat(get("a")).isEqualTo("null two");
        assertThat(chain()).containsExactly("a null*", "a id");
    }

    @Test
    void suspendedDeleteMakesANullMarkerThatReplacesTheNullVersion() throws IOException {
        put("a", "null one");
        versioning(ENABLED);
        put("a", "kept");
        versioning(SUSPENDED);
        DeleteResult result = delete("a");
        assertThat(result.markerCreated()).isTrue();
        assertThat(result.version().orElseThrow().versionId()).isEqualTo("null");
        assertThat(chain()).containsExactly("a null*-", "a id");
        delete("a");
        assertThat(chain()).containsExactly("a null*-", "a id");
        assertThat(delete("a", VersionSelector.NULL).markerRemoved()).isTrue();
        assertThat(get("a")).isEqualTo("kept");
    }

    @Test
    void suspendedDeleteOfMissingKeyMakesANullMarker() throws IOException {
        versioning(SUSPENDED);
        assertThat(delete("ghost").markerCreated()).isTrue();
        assertThat(chain()).containsExactly("ghost null*-");
    }

    @Test
    void suspendedPutReplacesANullMarker() throws IOException {
        versioning(SUSPENDED);
        delete("a");
        put("a", "back");
        assertThat(chain()).containsExactly("a null*");
    }

    @Test
    void enablingAgainKeepsTheNullVersion() throws IOException {
        versioning(ENABLED);
        put("a", "first");
        versioning(SUSPENDED);
        put("a", "null");
        versioning(ENABLED);
        put("a", "second");
        put("a", "third");
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("null");
        assertThat(chain()).containsExactly("a id*", "a id", "a null", "a id");
        assertThat(delete("a", VersionSelector.NULL).version()).isPresent();
        assertThat(head("a", VersionSelector.NULL)).isEmpty();
        assertThat(chain()).containsExactly("a id*", "a id", "a id");
    }

    @Test
    void nullVersionIsFoundAfterItWasPromotedAndBuriedAgain() throws IOException {
        put("a", "null");
        versioning(ENABLED);
        ObjectVersion above = put("a", "above");
        delete("a", number(above));
        assertThat(head("a").orElseThrow().versionId()).isEqualTo("null");
        put("a", "newer");
        ObjectVersion newest = put("a", "newest");
        delete("a", number(newest));
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("null");
        versioning(SUSPENDED);
        put("a", "other null");
        assertThat(chain()).containsExactly("a null*", "a id");
    }

    @Test
    void numberOfTheNullVersionNamesItToo() throws IOException {
        ObjectVersion version = put("a", "one");
        assertThat(get("a", number(version))).isEqualTo("one");
    }

    @Test
    void versioningCannotBeTakenBack() throws IOException {
        versioning(UNVERSIONED);
        versioning(ENABLED);
        refused(Reason.INVALID_ARGUMENT, () -> versioning(UNVERSIONED));
        assertThat(store.bucket(BUCKET).orElseThrow().versioning()).isEqualTo(ENABLED);
    }

    @Test
    void tagsReplaceInPlaceOnAnyVersion() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        ObjectVersion second = put("a", "two");
        for (ObjectVersion version : new ObjectVersion[] {first, second}) {
            ObjectVersion tagged =
                    store.setTags(ALICE, BUCKET, key("a"), number(version), Map.of("k", "v"));
            ObjectVersion found = head("a", number(version)).orElseThrow();
            assertThat(tagged).isEqualTo(found);
            assertThat(found.attributes().tags()).containsExactly(Map.entry("k", "v"));
            assertThat(found.modified()).isEqualTo(version.modified());
            assertThat(found.attributes().headers()).isEqualTo(version.attributes().headers());
        }
        assertThat(get("a", number(first))).isEqualTo("one");
        assertThat(get("a")).isEqualTo("two");
        assertThat(chain()).containsExactly("a id*", "a id");
        store.setTags(ALICE, BUCKET, key("a"), LATEST, Map.of());
        assertThat(head("a").orElseThrow().attributes().tags()).isEmpty();
    }

    @Test
    void taggingKeepsTheNullVersionBehindFindable() throws IOException {
        put("a", "null");
        versioning(ENABLED);
        put("a", "two");
        ObjectVersion tagged = store.setTags(ALICE, BUCKET, key("a"), LATEST, Map.of("k", "v"));
        assertThat(tagged.latest()).isTrue();
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("null");
    }

    @Test
    void taggingRefusesMarkersAndWhatIsMissing() throws IOException {
        versioning(ENABLED);
        delete("a");
        refused(
                Reason.IS_DELETE_MARKER,
                () -> store.setTags(ALICE, BUCKET, key("a"), LATEST, Map.of("k", "v")));
        refused(
                Reason.NO_SUCH_KEY,
                () -> store.setTags(ALICE, BUCKET, key("b"), LATEST, Map.of("k", "v")));
        refused(
                Reason.NO_SUCH_VERSION,
                () ->
                        store.setTags(
                                ALICE, BUCKET, key("a"), VersionSelector.NULL, Map.of("k", "v")));
    }

    @Test
    void largeMetadataSurvivesMovingBetweenCurrentAndNoncurrent() throws IOException {
        versioning(ENABLED);
        TreeMap<String, String> metadata = new TreeMap<>(Map.of("note", "x".repeat(1800)));
        ObjectAttributes large =
                new ObjectAttributes(
                        md5("one"), new TreeMap<>(), metadata, new TreeMap<>(), Optional.empty());
        ObjectVersion first =
                store.put(ALICE, BUCKET, key("a"), body("one"), large, WriteCondition.NONE);
        assertThat(head("a").orElseThrow().attributes()).isEqualTo(large);
        ObjectVersion second = put("a", "two");
        assertThat(head("a", number(first)).orElseThrow().attributes()).isEqualTo(large);
        delete("a", number(second));
        assertThat(head("a").orElseThrow().attributes()).isEqualTo(large);
        assertThat(store.open(ALICE, BUCKET, key("a"), LATEST).version().attributes())
                .isEqualTo(large);
    }

    @Test
    void ownersThatAreNotTheBucketsAreKept() throws IOException {
        ObjectVersion version =
                store.put(
                        BOB, BUCKET, key("a"), body("one"), attributes("one"), WriteCondition.NONE);
        assertThat(version.owner()).isEqualTo("bob");
        assertThat(head("a").orElseThrow().owner()).isEqualTo("bob");
        assertThat(allVersions().getFirst().owner()).isEqualTo("bob");
    }

    @Test
    void emptyBodiesAreObjectsToo() throws IOException {
        put("empty", "");
        assertThat(get("empty")).isEmpty();
        assertThat(head("empty").orElseThrow().bytes()).isZero();
    }

    @Test
    void everythingIsThereAfterReopening() throws IOException {
        put("a", "null");
        versioning(ENABLED);
        put("a", "two");
        store.close();
        store = reopen();
        assertThat(store.bucket(BUCKET).orElseThrow().versioning()).isEqualTo(ENABLED);
        assertThat(get("a")).isEqualTo("two");
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("null");
    }
}
