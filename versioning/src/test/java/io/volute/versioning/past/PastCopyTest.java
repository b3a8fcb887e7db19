package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Copies from the past. */
class PastCopyTest extends PastFixture {
    private static final Caller BOB = new Caller("bob", "key-b", "desk");

    private CopyResult copy(VersionSelector selector, Instant at, String target)
            throws IOException {
        return store.copy(
                BOB,
                new Source(BUCKET, new ObjectKey("key"), selector, Optional.of(at)),
                BUCKET,
                new ObjectKey(target),
                version -> {},
                ObjectVersion::attributes,
                WriteCondition.NONE);
    }

    @Test
    void sharesTheBytesAndOutlivesWhatItCameFrom() throws IOException {
        put(ALICE, "key", "good");
        Instant good = tick();
        put(THIEF, "key", "bad");
        Instant bad = tick();
        int blobs = liveBlobs();
        CopyResult copied = copy(VersionSelector.LATEST, good, "back");
        assertThat(copied.source().latest()).isTrue();
        assertThat(copied.target().owner()).isEqualTo("bob");
        assertThat(read(ALICE, "back")).isEqualTo("good");
        // Onto itself: of an instant at which it is what it is now, and of another one.
        assertThat(copy(VersionSelector.LATEST, bad, "key").target().latest()).isTrue();
        assertThat(read(ALICE, "key")).isEqualTo("bad");
        assertThat(copy(VersionSelector.LATEST, good, "key").target().latest()).isTrue();
        assertThat(read(ALICE, "key")).isEqualTo("good");
        assertThat(liveBlobs()).isEqualTo(blobs);

        clock.updateAndGet(now -> now.plus(Duration.ofDays(30)));
        assertThat(store.retention().trim()).isPositive();
        assertThat(read(ALICE, "back")).isEqualTo("good");
        StoreFixture.refused(Reason.NO_SUCH_KEY, () -> copy(VersionSelector.LATEST, good, "x"));
    }

    @Test
    void hasAnEdgeToWhatItCameFrom() throws IOException {
        ObjectVersion first = put(ALICE, "key", "good");
        Instant good = tick();
        put(THIEF, "key", "bad");
        tick();
        assertThat(copy(VersionSelector.LATEST, good, "back").source().number())
                .isEqualTo(first.number());
        ActivityFilter bobs =
                new ActivityFilter(
                        Optional.empty(),
                        History.ActorFilter.ofAccessKey("key-b"),
                        Optional.empty(),
                        Optional.empty());
        var told = store.history().activity(bobs, Optional.empty(), 10).entries();
        assertThat(told).hasSize(1);
        assertThat(told.getFirst().source().orElseThrow())
                .isEqualTo(new History.Place("photos", new ObjectKey("key"), first.number()));
    }

    @Test
    void takesVersionsByTheirNumberThatAreGone() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        ObjectVersion first = put(ALICE, "key", "one");
        put(ALICE, "key", "two");
        Instant both = tick();
        VersionSelector selector = new VersionSelector.Numbered(first.number());
        var removed =
                store.delete(BOB, BUCKET, new ObjectKey("key"), selector, WriteCondition.NONE);
        assertThat(removed.version()).isPresent();
        delete(ALICE, "key");
        Instant marked = tick();
        assertThat(copy(selector, both, "back").source().latest()).isFalse();
        assertThat(read(ALICE, "back")).isEqualTo("one");
        StoreFixture.refused(Reason.NO_SUCH_VERSION, () -> copy(selector, marked, "x"));
        StoreFixture.refused(Reason.NO_SUCH_KEY, () -> copy(VersionSelector.LATEST, marked, "x"));
    }

    @Test
    void ofABucketThatIsGoneButNotOfTheFuture() throws IOException {
        BucketName other = new BucketName("other");
        assertThat(store.createBucket(ALICE, other).versioning())
                .isEqualTo(VersioningState.UNVERSIONED);
        put(ALICE, "key", "here");
        tick();
        StoreFixture.refused(
                Reason.INVALID_ARGUMENT, () -> copy(VersionSelector.LATEST, clock.get(), "x"));
        StoreFixture.refused(
                Reason.NO_SUCH_BUCKET,
                () -> copy(VersionSelector.LATEST, START.minusSeconds(60), "x"));
        Instant there = tick();
        delete(BOB, "key");
        store.deleteBucket(ALICE, BUCKET);
        tick();
        CopyResult copied =
                store.copy(
                        BOB,
                        new Source(
                                BUCKET,
                                new ObjectKey("key"),
                                VersionSelector.LATEST,
                                Optional.of(there)),
                        other,
                        new ObjectKey("key"),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().bytes()).isEqualTo(4);
    }
}
