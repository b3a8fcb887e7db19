package io.volute.versioning.object;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Copies share the blob of their source. */
class CopyTest extends StoreFixture {

    private CopyResult copy(Source source, String target) throws IOException {
        return store.copy(
                BOB,
                source,
                BUCKET,
                key(target),
                version -> {},
                ObjectVersion::attributes,
                WriteCondition.NONE);
    }

    private static Source source(String key) {
        return new Source(BUCKET, key(key), LATEST);
    }

    @Test
    void copyMovesNoBytesAndOutlivesItsSource() throws IOException {
        put("a", "one");
        CopyResult result = copy(source("a"), "b");
        assertThat(result.source().key()).isEqualTo(key("a"));
        assertThat(result.target().owner()).isEqualTo("bob");
        assertLiveBlobs(1);
        delete("a");
        assertThat(get("b")).isEqualTo("one");
        delete("b");
        assertLiveBlobs(0);
    }

    @Test
    void copyOntoItselfReplacesAttributes() throws IOException {
        put("a", "one");
        CopyResult result =
                store.copy(
                        ALICE,
                        source("a"),
                        BUCKET,
                        key("a"),
                        version -> {},
                        version -> version.attributes().withTags(Map.of("k", "v")),
                        WriteCondition.NONE);
        assertThat(result.target().modified()).isAfter(result.source().modified());
        assertThat(get("a")).isEqualTo("one");
        assertThat(head("a").orElseThrow().attributes().tags()).containsKey("k");
        assertThat(chain()).containsExactly("a null*");
    }

    @Test
    void copyOfAnOldVersionOntoItsKeyMakesItCurrent() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        put("a", "two");
        copy(new Source(BUCKET, key("a"), number(first)), "a");
        assertThat(get("a")).isEqualTo("one");
        assertThat(chain()).containsExactly("a id*", "a id", "a id");
    }

    @Test
    void copyGoesToOtherBuckets() throws IOException {
        BucketName other = new BucketName("archive");
        assertThat(store.createBucket(BOB, other).owner()).isEqualTo("bob");
        put("a", "one");
        CopyResult result =
                store.copy(
                        ALICE,
                        source("a"),
                        other,
                        key("a"),
                        version -> {},
                        ObjectVersion::attributes,
                        new WriteCondition.IfAbsent());
        assertThat(store.head(ALICE, other, key("a"), LATEST)).contains(result.target());
    }

    @Test
    void sourcesThatAreMissingOrMarkersAreRefused() throws IOException {
        versioning(ENABLED);
        ObjectVersion marker = delete("gone").version().orElseThrow();
        refused(Reason.NO_SUCH_KEY, () -> copy(source("never"), "b"));
        refused(Reason.NO_SUCH_KEY, () -> copy(source("gone"), "b"));
        refused(
                Reason.IS_DELETE_MARKER,
                () -> copy(new Source(BUCKET, key("gone"), number(marker)), "b"));
        refused(
                Reason.NO_SUCH_VERSION,
                () -> copy(new Source(BUCKET, key("gone"), VersionSelector.NULL), "b"));
        assertThat(head("b")).isEmpty();
    }

    @Test
    void sourceCheckMayRefuse() throws IOException {
        put("a", "one");
        assertThatThrownBy(
                        () ->
                                store.copy(
                                        ALICE,
                                        source("a"),
                                        BUCKET,
                                        key("b"),
                                        version -> {
                                            throw new IllegalArgumentException("no");
                                        },
                                        ObjectVersion::attributes,
                                        WriteCondition.NONE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(head("b")).isEmpty();
        put("b", "the locks are free");
    }

    @Test
    void copyOfAMultipartObjectKeepsItsParts() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, "0123456789");
        putPart("m", upload, 2, "tail");
        store.completeUpload(
                ALICE,
                BUCKET,
                key("m"),
                upload,
                List.of(
                        new PartChoice(1, md5("0123456789"), Optional.empty()),
                        new PartChoice(2, md5("tail"), Optional.empty())),
                (info, chosen) -> attributes("whatever"),
                WriteCondition.NONE);
        CopyResult result = copy(source("m"), "n");
        delete("m");
        assertThat(result.target().parts()).isEqualTo(2);
        assertThat(get("n")).isEqualTo("0123456789tail");
        assertThat(store.parts(ALICE, BUCKET, result.target())).hasSize(2);
        delete("n");
        assertLiveBlobs(0);
    }
}
