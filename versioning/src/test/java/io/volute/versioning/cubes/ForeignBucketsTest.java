package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Buckets that the owner of the system cube creates and deletes in the cubes of another server. */
class ForeignBucketsTest extends PartFixture {
    @BeforeEach
    void giveOneAway() throws IOException {
        assertThat(cubes.create("one").buckets()).isZero();
        giveAway("one");
    }

    private void assertReason(Reason reason, CubeSlot.Task<?> call) {
        StoreException refused = catchThrowableOfType(StoreException.class, call::run);
        assertThat(refused.reason()).isEqualTo(reason);
    }

    @Test
    void aBucketIsCreatedWithItsSettingsAndDeleted() throws Exception {
        BucketInfo created =
                store.createBucket(
                        ALICE,
                        name(BUCKET),
                        true,
                        Map.of(BucketDocument.TAGGING, "<Tagging/>"),
                        Optional.of("one"));
        assertThat(created.owner()).isEqualTo("alice");
        BucketInfo there = part.store().bucket(name(BUCKET)).orElseThrow();
        assertThat(there).isEqualTo(created);
        assertThat(there.versioning()).isEqualTo(VersioningState.ENABLED);
        assertThat(there.documents()).hasSize(1);
        assertThat(cubes.cubeOf(name(BUCKET))).contains("one");
        assertThat(info("one").buckets()).isEqualTo(1);
        assertReason(Reason.BUCKET_OWNED_BY_CALLER, () -> bucket(BUCKET, "one"));
        assertReason(
                Reason.BUCKET_OWNED_BY_OTHER,
                () -> store.createBucket(BOB, name(BUCKET), false, Map.of(), Optional.empty()));
        put(part.store(), BUCKET, "k", "text");
        assertReason(
                Reason.BUCKET_NOT_EMPTY,
                () -> {
                    store.deleteBucket(ALICE, name(BUCKET));
                    return true;
                });
        assertThat(names(store)).containsExactly(BUCKET);
    }

    @Test
    void anEmptyBucketIsDeletedWithItsPlacement() throws Exception {
        bucket(BUCKET, "one");
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(names(store)).isEmpty();
        assertThat(part.bucketsHere("one")).isEmpty();
        bucket(BUCKET, StoreCubes.SYSTEM);
        assertThat(cubes.cubeOf(name(BUCKET))).contains(StoreCubes.SYSTEM);
    }

    @Test
    void theRuleSpreadCountsCubesOfOthers() throws Exception {
        bucket("first", StoreCubes.SYSTEM);
        assertThat(store.createBucket(ALICE, name("second"))).isNotNull();
        assertThat(cubes.cubeOf(name("second"))).contains("one");
        assertThat(names(part.store())).containsExactly("second");
    }

    @Test
    void aRefusalRemovesThePlacement() throws Exception {
        part.release("one");
        assertThatThrownBy(() -> bucket(BUCKET, "one"))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("cube one");
        assertThat(names(store)).isEmpty();
        part.take("one");
        bucket(BUCKET, "one");
        assertThat(names(store)).containsExactly(BUCKET);
    }

    @Test
    void aCreationThatDidNotArriveLeavesNothing() throws Exception {
        loss = Loss.CALL;
        assertThatThrownBy(() -> bucket(BUCKET, "one")).hasMessage("no connection");
        assertThat(names(store)).isEmpty();
        assertThat(part.bucketsHere("one")).isEmpty();
    }

    @Test
    void aCreationWhoseAnswerIsLostSucceeds() throws Exception {
        loss = Loss.ANSWER;
        BucketInfo created = bucket(BUCKET, "one");
        assertThat(part.bucketsHere("one")).containsExactly(created);
        assertThat(names(store)).containsExactly(BUCKET);
    }

    @Test
    void aCreationOfUnknownOutcomeIsComparedLater() throws Exception {
        loss = Loss.ALL_CALLS;
        assertThatThrownBy(() -> bucket("lost", "one")).hasMessage("no connection");
        loss = Loss.ALL_ANSWERS;
        assertThatThrownBy(() -> bucket("made", "one")).hasMessageContaining("was closed");
        assertThat(names(store)).containsExactly("lost", "made");
        elsewhere.add("one");
        restart();
        assertThat(names(store)).containsExactly("lost", "made");
        assertThatThrownBy(() -> cubes.reconcileElsewhere("one")).hasMessageContaining("closed");
        assertThat(names(store)).containsExactly("lost", "made");
        loss = Loss.NONE;
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).containsExactly("made");
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).containsExactly("made");
        bucket("lost", "one");
        assertThat(part.bucketsHere("one")).hasSize(2);
    }

    /** An older copy of the system cube has no placement of it. */
    @Test
    void aBucketWithoutAPlacementIsAdded() throws Exception {
        BucketInfo found = part.createHere("one", BOB, name("found"), false, Map.of());
        assertThat(part.createHere("one", BOB, name("found"), false, Map.of())).isEqualTo(found);
        assertThat(names(store)).isEmpty();
        assertReason(Reason.BUCKET_OWNED_BY_OTHER, () -> bucket("found", "one"));
        assertThat(names(store)).containsExactly("found");
        assertReason(
                Reason.BUCKET_OWNED_BY_CALLER,
                () -> store.createBucket(BOB, name("found"), false, Map.of(), Optional.empty()));
        BucketInfo other = part.createHere("one", ALICE, name("other"), false, Map.of());
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).containsExactly("found", other.name().value());
        restartAll();
        assertThat(names(store)).containsExactly("found", "other");
    }

    private void restartAll() throws Exception {
        elsewhere.add("one");
        restart();
    }

    @Test
    void aDeletionThatDidNotArriveChangesNothing() throws Exception {
        bucket(BUCKET, "one");
        loss = Loss.CALL;
        assertThatThrownBy(() -> store.deleteBucket(ALICE, name(BUCKET)))
                .hasMessage("no connection");
        assertThat(names(store)).containsExactly(BUCKET);
        assertThat(part.bucketsHere("one")).hasSize(1);
    }

    @Test
    void aDeletionWhoseAnswerIsLostSucceeds() throws Exception {
        bucket(BUCKET, "one");
        loss = Loss.ANSWER;
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(names(store)).isEmpty();
        assertThat(part.bucketsHere("one")).isEmpty();
    }

    @Test
    void aDeletionOfUnknownOutcomeIsFinishedByTheNextCall() throws Exception {
        bucket("first", "one");
        bucket("second", "one");
        loss = Loss.ALL_ANSWERS;
        for (String each : names(store)) {
            assertThatThrownBy(() -> store.deleteBucket(ALICE, name(each)))
                    .hasMessageContaining("was closed");
        }
        assertThat(names(store)).containsExactly("first", "second");
        loss = Loss.NONE;
        assertReason(
                Reason.NO_SUCH_BUCKET,
                () -> {
                    store.deleteBucket(ALICE, name("first"));
                    return true;
                });
        assertThat(names(store)).containsExactly("second");
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).isEmpty();
    }

    @Test
    void aCubeThatIsHereIsNotComparedWithAnotherServer() throws Exception {
        part.release("one");
        cubes.take("one");
        bucket(BUCKET, "one");
        loss = Loss.ALL_CALLS;
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).containsExactly(BUCKET);
    }
}
