package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The report on a stolen key's actions besides overwriting, and the restore of their victims. */
class StolenKeyTest extends PastFixture {
    private static final Caller ADMIN = new Caller("root", "key-r", "console");
    private static final Caller HELPER = new Caller("alice", "key-h", "helper");
    private static final Caller BOB = new Caller("bob", "key-b", "bob");

    private static Request request(Goal goal) {
        return new Request(BUCKET, "", goal, OnConflict.SKIP);
    }

    private Plan plan(Request request) throws IOException {
        return store.restore().plan(ADMIN, request, Optional.empty(), 100);
    }

    private List<String> keys(Request request) throws IOException {
        return plan(request).entries().stream().map(line -> line.key().value()).toList();
    }

    private List<Restore.Elsewhere> elsewhere(Request request) throws IOException {
        return plan(request).elsewhere();
    }

    private long restored(Request request) throws IOException {
        return ended(store.restore().start(ADMIN, request).id()).restored();
    }

    /** A restore changes one bucket, and reports the other affected ones. */
    @Test
    void victimsInOtherBucketsAreTold() throws IOException {
        BucketName other = new BucketName("archive");
        assertThat(store.createBucket(ALICE, other).name()).isEqualTo(other);
        put(ALICE, "a", "good");
        Instant good = tick();
        put(THIEF, "a", "bad");
        assertThat(read(BOB, "a")).isEqualTo("bad");
        put(BOB, other, "derived", "bad");
        put(BOB, other, "derived too", "bad");
        put(HELPER, other, "unrelated", "good");
        Goal taint =
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                BUCKET, new ObjectKey("a"), Optional.empty(), Optional.empty()),
                        Instant.EPOCH);
        assertThat(elsewhere(request(taint))).containsExactly(new Restore.Elsewhere("archive", 2));
        Request there = new Request(other, "", taint, OnConflict.SKIP);
        assertThat(keys(there)).containsExactly("derived", "derived too");
        assertThat(elsewhere(there)).containsExactly(new Restore.Elsewhere("photos", 1));
        Goal alone =
                new Goal.Undo(
                        List.of(new Restore.Source.Name("thief", Optional.empty())),
                        List.of(),
                        good,
                        false);
        assertThat(elsewhere(request(alone))).isEmpty();
        assertThat(elsewhere(request(new Goal.ToInstant(good)))).isEmpty();
    }

    /** Deleted by their ids, versions are gone for S3's clients; the key gets what it held. */
    @Test
    void versionsThatWereDeletedByTheirIdsAreKept() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        List<ObjectVersion> versions =
                List.of(put(ALICE, "a", "one"), put(ALICE, "a", "two"), put(ALICE, "b", "one"));
        Instant before = tick();
        for (ObjectVersion version : versions) {
            deleteVersion(version);
        }
        tick();
        assertThat(contents(store)).isEmpty();
        Request undo =
                request(
                        Restore.Goal.undo(
                                new Restore.Source.Name("thief", Optional.empty()), before));
        assertThat(plan(undo).entries())
                .extracting(line -> line.key().value(), StolenKeyTest::why, Line::conflict)
                .containsExactly(
                        tuple("a", "deleted", Optional.empty()),
                        tuple("b", "deleted", Optional.empty()));
        assertThat(restored(undo)).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("a", "two", "b", "one"));
    }

    private static String why(Line line) {
        return line.why().substring(0, line.why().indexOf(" by thief at "));
    }

    private void deleteVersion(ObjectVersion version) throws IOException {
        assertThat(
                        store.delete(
                                THIEF,
                                BUCKET,
                                version.key(),
                                StoreFixture.number(version),
                                WriteCondition.NONE))
                .isNotNull();
    }
}
