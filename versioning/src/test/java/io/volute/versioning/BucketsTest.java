package io.volute.versioning;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Buckets: making, listing, deleting. */
class BucketsTest extends StoreFixture {

    @Test
    void anExistingBucketIsToldApartByOwner() {
        refused(Reason.BUCKET_OWNED_BY_CALLER, () -> store.createBucket(ALICE, BUCKET));
        refused(Reason.BUCKET_OWNED_BY_OTHER, () -> store.createBucket(BOB, BUCKET));
    }

    @Test
    void theNumberOfBucketsIsBounded() throws IOException {
        assertThat(store.createBucket(ALICE, new BucketName("two")).id()).isPositive();
        assertThat(store.createBucket(ALICE, new BucketName("three")).id()).isPositive();
        refused(Reason.TOO_MANY_BUCKETS, () -> store.createBucket(ALICE, new BucketName("four")));
    }

    @Test
    void bucketsAreListedByNameOwnerPrefixAndMarker() throws IOException {
        assertThat(store.createBucket(BOB, new BucketName("photos-bob")).owner()).isEqualTo("bob");
        assertThat(store.createBucket(ALICE, new BucketName("archive")).owner()).isEqualTo("alice");
        assertThat(names(Optional.empty(), "", "", 9))
                .containsExactly("archive", "photos", "photos-bob");
        assertThat(names(Optional.of("alice"), "", "", 9)).containsExactly("archive", "photos");
        assertThat(names(Optional.empty(), "photos", "", 9))
                .containsExactly("photos", "photos-bob");
        assertThat(names(Optional.empty(), "", "archive", 1)).containsExactly("photos");
    }

    private List<String> names(Optional<String> owner, String prefix, String after, int max) {
        return store.listBuckets(owner, prefix, after, max).stream()
                .map(bucket -> bucket.name().value())
                .toList();
    }

    @Test
    void aBucketWithAnythingInItIsNotDeleted() throws IOException {
        put("a", "one");
        refused(Reason.BUCKET_NOT_EMPTY, () -> store.deleteBucket(ALICE, BUCKET));
        delete("a");
        versioning(ENABLED);
        ObjectVersion marker = delete("a").version().orElseThrow();
        refused(Reason.BUCKET_NOT_EMPTY, () -> store.deleteBucket(ALICE, BUCKET));
        delete("a", number(marker));
        store.deleteBucket(ALICE, BUCKET);
        assertThat(store.bucket(BUCKET)).isEmpty();
    }

    @Test
    void anotherBucketsKeysDoNotCount() throws IOException {
        BucketName other = new BucketName("other");
        assertThat(store.createBucket(ALICE, other).id()).isPositive();
        put("a", "one");
        store.deleteBucket(ALICE, other);
        assertThat(get("a")).isEqualTo("one");
    }

    @Test
    void deletingABucketAbortsItsUploads() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, "part");
        store.deleteBucket(ALICE, BUCKET);
        assertLiveBlobs(0);
        assertThat(rows(Families.UPLOADS)).isZero();
        assertThat(rows(Families.PARTS)).isZero();
        assertThat(rows(Families.BUCKETS)).isZero();
    }

    @Test
    void aDeletedBucketIsGoneForEverything() throws IOException {
        store.deleteBucket(ALICE, BUCKET);
        refused(
                Reason.NO_SUCH_BUCKET,
                () -> store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.empty()));
        refused(Reason.NO_SUCH_BUCKET, () -> head("a"));
        refused(Reason.NO_SUCH_BUCKET, () -> delete("a"));
        refused(Reason.NO_SUCH_BUCKET, () -> store.deleteBucket(ALICE, BUCKET));
        refused(Reason.NO_SUCH_BUCKET, () -> versioning(ENABLED));
        store.close();
        store = reopen();
        assertThat(store.bucket(BUCKET)).isEmpty();
    }

    @Test
    void aBucketMadeAnewIsEmpty() throws IOException {
        put("a", "one");
        delete("a");
        store.deleteBucket(ALICE, BUCKET);
        BucketInfo again = store.createBucket(BOB, BUCKET);
        assertThat(again.owner()).isEqualTo("bob");
        assertThat(chain()).isEmpty();
    }

    @Test
    void aClosedStoreRefusesWrites() throws IOException {
        store.close();
        assertThatThrownBy(() -> delete("a")).isInstanceOf(CubeUnavailableException.class);
    }

    @Test
    void aFailedCommitIsReportedAndChangesNothing() throws IOException {
        put("a", "one");
        ((FakeCube) cube).failNextCommit(new IOException("disk on fire"));
        assertThatThrownBy(() -> put("a", "two")).hasMessageContaining("disk on fire");
        assertThat(get("a")).isEqualTo("one");
        put("a", "three");
        assertThat(get("a")).isEqualTo("three");
    }

    @Test
    void aReadOfTheNewestObjectIsOneIndexRead() throws IOException {
        put("a", "one");
        FakeCube fake = (FakeCube) cube;
        long before = fake.gets();
        assertThat(get("a")).isEqualTo("one");
        assertThat(fake.gets() - before).isEqualTo(1);
    }
}
