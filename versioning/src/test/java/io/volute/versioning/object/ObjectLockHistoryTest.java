package io.volute.versioning.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.ObjectReader;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.Change.OfLegalHold;
import io.volute.versioning.value.ObjectLock.Change.OfRetention;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retention, purges and restores leave locked versions unchanged; the past has their locks. */
class ObjectLockHistoryTest extends PastFixture {
    private static final ObjectKey A = new ObjectKey("a");
    private static final ObjectLock LOCK =
            new ObjectLock(
                    Optional.of(new Retention(Mode.COMPLIANCE, START.plus(Duration.ofDays(3650)))),
                    Optional.of(LegalHold.ON));

    @BeforeEach
    void lockable() throws IOException {
        store.setVersioning(ALICE, BUCKET, BucketInfo.VersioningState.ENABLED);
        store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
    }

    private void lock(ObjectVersion version) throws IOException {
        VersionSelector number = new VersionSelector.Numbered(version.number());
        store.setLock(ALICE, BUCKET, A, number, new OfRetention(LOCK.retention(), false));
        store.setLock(ALICE, BUCKET, A, number, new OfLegalHold(LegalHold.ON));
    }

    private Optional<ObjectVersion> head(ObjectReader from, ObjectVersion version)
            throws IOException {
        return from.head(ALICE, BUCKET, A, new VersionSelector.Numbered(version.number()));
    }

    private void assertThere(ObjectVersion version, String text) throws IOException {
        assertThat(head(store, version).orElseThrow().attributes().lock()).isEqualTo(LOCK);
        var object = store.open(ALICE, BUCKET, A, new VersionSelector.Numbered(version.number()));
        try (var reader = object.reader()) {
            assertThat(StoreFixture.content(reader)).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatRemovesHistoryLeavesLockedVersions(HistoryPolicy policy) throws IOException {
        policy(policy);
        ObjectVersion old = put(ALICE, "a", "old");
        lock(old);
        tick();
        ObjectVersion current = put(THIEF, "a", "current");
        lock(current);
        delete(THIEF, "a");
        tick();
        clock.updateAndGet(now -> now.plus(Duration.ofDays(400)));
        var history = store.history();
        assertThat(history.purge(ALICE, BUCKET, clock.get())).isNotNegative();
        assertThat(store.retention().trim()).isNotNegative();
        assertThat(store.retention().trimOldest(Long.MAX_VALUE)).isNotNegative();
        assertThat(store.retention().trimTo(0)).isNotNegative();
        assertThat(history.kept(BUCKET).states()).isZero();
        assertThere(old, "old");
        assertThere(current, "current");
    }

    @Test
    void theMostStatesOfAKeyAreNotAboutItsVersions() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        ObjectVersion version = put(ALICE, "a", "locked");
        lock(version);
        tick();
        for (int i = 0; i <= historySettings().statesMax(); i++) {
            store.setTags(ALICE, BUCKET, A, VersionSelector.LATEST, java.util.Map.of("t", "" + i));
            tick();
        }
        assertThere(version, "locked");
    }

    @Test
    void thePastShowsTheLockOfThen() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        ObjectVersion version = put(ALICE, "a", "text");
        Instant free = tick();
        lock(version);
        Instant locked = tick();
        store.setLock(ALICE, BUCKET, A, VersionSelector.LATEST, new OfLegalHold(LegalHold.OFF));
        tick();
        assertThat(head(store.asOf(free), version).orElseThrow().attributes().lock())
                .isEqualTo(ObjectLock.NONE);
        assertThat(head(store.asOf(locked), version).orElseThrow().attributes().lock())
                .isEqualTo(LOCK);
        assertThat(head(store, version).orElseThrow().attributes().lock().legalHold())
                .contains(LegalHold.OFF);
    }

    /** A restore adds states above locked versions and need not change those. */
    @Test
    void aRestoreKeepsLockedVersionsAndLocksNothing() throws IOException {
        ObjectVersion good = put(ALICE, "a", "good");
        lock(good);
        Instant then = tick();
        ObjectVersion bad = put(THIEF, "a", "bad");
        lock(bad);
        tick();
        Request request = new Request(BUCKET, "", new Goal.ToInstant(then), OnConflict.SKIP);
        Restore restore = store.restore();
        List<Line> plan = restore.plan(ALICE, request, Optional.empty(), 10).entries();
        assertThat(plan).extracting(Line::key).containsExactly(A);
        Run run = ended(restore.start(ALICE, request).id());
        assertThat(run.restored()).isEqualTo(1);
        tick();
        assertThat(read(ALICE, "a")).isEqualTo("good");
        assertThat(
                        store.head(ALICE, BUCKET, A, VersionSelector.LATEST)
                                .orElseThrow()
                                .attributes()
                                .lock())
                .isEqualTo(ObjectLock.NONE);
        assertThere(good, "good");
        assertThere(bad, "bad");
        assertThat(restore.plan(ALICE, request, Optional.empty(), 10).entries()).isEmpty();
    }
}
