package io.volute.versioning.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.Change.OfLegalHold;
import io.volute.versioning.value.ObjectLock.Change.OfRetention;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Nobody deletes what is locked, in no way that there is; and what may change of a lock. */
public class ObjectLockTest extends StoreFixture {
    private static final Instant SOON = Instant.parse("2030-01-01T00:00:00Z");
    private static final Instant LATE = Instant.parse("2040-01-01T00:00:00Z");
    private static final DefaultRetention TWO_YEARS =
            new DefaultRetention(Mode.COMPLIANCE, 2, Unit.YEARS);

    @BeforeEach
    void lockable() throws IOException {
        versioning(VersioningState.ENABLED);
        store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
    }

    private static Optional<Retention> until(Mode mode, Instant until) {
        return Optional.of(new Retention(mode, until));
    }

    private ObjectVersion lock(ObjectVersion version, ObjectLock.Change change) throws IOException {
        return store.setLock(ALICE, BUCKET, version.key(), number(version), change);
    }

    private ObjectVersion retain(ObjectVersion version, Mode mode, Instant until)
            throws IOException {
        return lock(version, new OfRetention(until(mode, until), false));
    }

    private ObjectLock lockOf(ObjectVersion version) throws IOException {
        return head(version.key().value(), number(version)).orElseThrow().attributes().lock();
    }

    // ---- what is locked stays

    /** The ways to remove a version. */
    enum Attempt {
        DELETE,
        DELETE_ALL
    }

    record Case(
            Optional<Mode> mode,
            Optional<LegalHold> hold,
            boolean bypass,
            boolean latest,
            Attempt attempt,
            boolean reopened) {
        boolean locks() {
            boolean retained =
                    mode.equals(Optional.of(Mode.COMPLIANCE))
                            || mode.equals(Optional.of(Mode.GOVERNANCE)) && !bypass;
            return retained || hold.equals(Optional.of(LegalHold.ON));
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        List<Optional<Mode>> modes =
                List.of(
                        Optional.empty(),
                        Optional.of(Mode.GOVERNANCE),
                        Optional.of(Mode.COMPLIANCE));
        List<Optional<LegalHold>> holds =
                List.of(Optional.empty(), Optional.of(LegalHold.OFF), Optional.of(LegalHold.ON));
        for (Optional<Mode> mode : modes) {
            for (Optional<LegalHold> hold : holds) {
                for (int bits = 0; bits < 8; bits++) {
                    for (Attempt attempt : Attempt.values()) {
                        cases.add(
                                new Case(
                                        mode,
                                        hold,
                                        (bits & 1) != 0,
                                        (bits & 2) != 0,
                                        attempt,
                                        (bits & 4) != 0));
                    }
                }
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void nobodyDeletesWhatIsLocked(Case wanted) throws IOException {
        ObjectVersion version = put("a", "locked");
        if (wanted.mode().isPresent()) {
            retain(version, wanted.mode().get(), SOON);
        }
        if (wanted.hold().isPresent()) {
            lock(version, new OfLegalHold(wanted.hold().get()));
        }
        if (!wanted.latest()) {
            put("a", "newer");
        }
        if (wanted.reopened()) {
            store.close();
            store = reopen();
        }
        DeleteTarget target =
                new DeleteTarget(
                        version.key(), number(version), WriteCondition.NONE, wanted.bypass());
        assertThat(isDeleted(target, wanted.attempt())).isEqualTo(!wanted.locks());
        assertThat(head("a", number(version)).isPresent()).isEqualTo(wanted.locks());
        if (wanted.locks()) {
            assertThat(get("a", number(version))).isEqualTo("locked");
        }
    }

    private boolean isDeleted(DeleteTarget target, Attempt attempt) throws IOException {
        Optional<StoreException> refusal = Optional.empty();
        if (attempt == Attempt.DELETE_ALL) {
            DeleteOutcome outcome = store.deleteAll(BOB, BUCKET, List.of(target)).getFirst();
            if (outcome instanceof DeleteOutcome.Refused refused) {
                refusal = Optional.of(refused.reason());
            }
        } else {
            try {
                assertThat(store.delete(BOB, BUCKET, target).version()).isPresent();
            } catch (StoreException e) {
                refusal = Optional.of(e);
            }
        }
        refusal.ifPresent(each -> assertThat(each.reason()).isEqualTo(Reason.LOCKED));
        return refusal.isEmpty();
    }

    @Test
    void aRefusalAmongManyDeletesIsItsOwn() throws IOException {
        ObjectVersion locked = put("a", "locked");
        ObjectVersion free = put("b", "free");
        retain(locked, Mode.GOVERNANCE, SOON);
        List<DeleteOutcome> outcomes =
                store.deleteAll(
                        ALICE,
                        BUCKET,
                        List.of(
                                new DeleteTarget(key("a"), number(locked), WriteCondition.NONE),
                                new DeleteTarget(key("b"), number(free), WriteCondition.NONE)));
        assertThat(outcomes.getFirst()).isInstanceOf(DeleteOutcome.Refused.class);
        assertThat(outcomes.getLast()).isInstanceOf(DeleteOutcome.Deleted.class);
        assertThat(chain()).containsExactly("a id*");
    }

    @Test
    void deleteMarkersComeAndGo() throws IOException {
        ObjectVersion locked = put("a", "locked");
        lock(locked, new OfLegalHold(LegalHold.ON));
        ObjectVersion marker = delete("a").version().orElseThrow();
        assertThat(chain()).containsExactly("a id*-", "a id");
        refused(Reason.IS_DELETE_MARKER, () -> retain(marker, Mode.GOVERNANCE, SOON));
        delete("a", number(marker));
        assertThat(get("a")).isEqualTo("locked");
        refused(Reason.BUCKET_NOT_EMPTY, () -> store.deleteBucket(ALICE, BUCKET));
    }

    /** From before the bucket was versioned; it has the name that overwriting takes away. */
    @Test
    void aLockedNullVersionStays() throws IOException {
        BucketName older = new BucketName("older");
        store.createBucket(ALICE, older);
        ObjectVersion nobody =
                store.put(ALICE, older, key("a"), body("x"), attributes("x"), WriteCondition.NONE);
        store.setVersioning(ALICE, older, VersioningState.ENABLED);
        store.setObjectLock(ALICE, older, BucketLock.PLAIN);
        OfRetention lock = new OfRetention(until(Mode.COMPLIANCE, SOON), false);
        ObjectVersion locked = store.setLock(ALICE, older, key("a"), VersionSelector.NULL, lock);
        assertThat(locked.number()).isEqualTo(nobody.number());
        for (int i = 0; i < 2; i++) {
            refused(
                    Reason.LOCKED,
                    () ->
                            store.delete(
                                    ALICE,
                                    older,
                                    key("a"),
                                    VersionSelector.NULL,
                                    WriteCondition.NONE));
            ObjectVersion newer =
                    store.put(
                            ALICE,
                            older,
                            key("a"),
                            body("y"),
                            attributes("y"),
                            WriteCondition.NONE);
            assertThat(newer.nullVersion()).isFalse();
        }
    }

    // ---- time

    @Test
    void aRetentionEndsWithItsInstant() throws IOException {
        ObjectVersion version = put("a", "locked");
        retain(version, Mode.COMPLIANCE, SOON);
        // The clock is a second later at each look.
        turnClockTo(SOON.minusSeconds(2));
        refused(Reason.LOCKED, () -> delete("a", number(version)));
        turnClockTo(SOON.minusSeconds(1));
        assertThat(delete("a", number(version)).version()).isPresent();
    }

    @Test
    void aClockThatIsSetBackUnlocksNothing() throws IOException {
        ObjectVersion version = put("a", "locked");
        retain(version, Mode.GOVERNANCE, SOON);
        turnClockTo(Instant.EPOCH);
        refused(Reason.LOCKED, () -> delete("a", number(version)));
        refused(Reason.LOCKED, () -> retain(version, Mode.GOVERNANCE, SOON.minusSeconds(1)));
        turnClockTo(LATE);
        turnClockTo(Instant.EPOCH);
        refused(Reason.LOCKED, () -> delete("a", number(version)));
    }

    @Test
    void aLegalHoldHasNoEnd() throws IOException {
        ObjectVersion version = put("a", "locked");
        retain(version, Mode.GOVERNANCE, SOON);
        lock(version, new OfLegalHold(LegalHold.ON));
        turnClockTo(LATE);
        refused(Reason.LOCKED, () -> delete("a", number(version)));
        lock(version, new OfLegalHold(LegalHold.OFF));
        assertThat(delete("a", number(version)).version()).isPresent();
    }

    // ---- what may change

    @ParameterizedTest
    @CsvSource({
        // has, gets, without bypass, with it
        "none, G soon, yes, yes",
        "none, C soon, yes, yes",
        "none, none, yes, yes",
        "G soon, G late, yes, yes",
        "G soon, G soon, yes, yes",
        "G late, G soon, no, yes",
        "G soon, C soon, no, yes",
        "G soon, C late, no, yes",
        "G soon, none, no, yes",
        "C soon, C late, yes, yes",
        "C soon, C soon, yes, yes",
        "C late, C soon, no, no",
        "C soon, G late, no, no",
        "C soon, G soon, no, no",
        "C soon, none, no, no"
    })
    void aRetentionGivesWayToAStrongerOne(String has, String gets, String without, String with)
            throws IOException {
        for (boolean bypass : new boolean[] {false, true}) {
            ObjectVersion version = put("a" + bypass, "text");
            lock(version, new OfRetention(retention(has), false));
            lock(version, new OfLegalHold(LegalHold.OFF));
            ObjectLock before = lockOf(version);
            OfRetention change = new OfRetention(retention(gets), bypass);
            if ((bypass ? with : without).equals("yes")) {
                assertThat(lock(version, change).attributes().lock())
                        .isEqualTo(before.with(retention(gets)));
            } else {
                refused(Reason.LOCKED, () -> lock(version, change));
                assertThat(lockOf(version)).isEqualTo(before);
            }
        }
    }

    private static Optional<Retention> retention(String words) {
        return words.equals("none")
                ? Optional.empty()
                : until(
                        words.startsWith("G") ? Mode.GOVERNANCE : Mode.COMPLIANCE,
                        words.endsWith("soon") ? SOON : LATE);
    }

    @Test
    void whatIsOverBindsNobody() throws IOException {
        ObjectVersion version = put("a", "text");
        retain(version, Mode.COMPLIANCE, SOON);
        turnClockTo(SOON);
        refused(Reason.RETENTION_OVER, () -> retain(version, Mode.COMPLIANCE, SOON));
        retain(version, Mode.GOVERNANCE, LATE);
        assertThat(lockOf(version).retention()).isEqualTo(until(Mode.GOVERNANCE, LATE));
    }

    /** In the row itself or, with much beside it, in its detail; in either family. */
    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "100, true", "100, false"})
    void aLockAndTagsLeaveEachOtherAlone(int tagBytes, boolean latest) throws IOException {
        ObjectVersion version = put("a", "text");
        if (!latest) {
            put("a", "newer");
        }
        Map<String, String> tags = Map.of("t", "x".repeat(tagBytes));
        retain(version, Mode.GOVERNANCE, SOON);
        store.setTags(ALICE, BUCKET, key("a"), number(version), tags);
        lock(version, new OfLegalHold(LegalHold.ON));
        store.close();
        store = reopen();
        ObjectAttributes attributes = head("a", number(version)).orElseThrow().attributes();
        assertThat(attributes.tags()).isEqualTo(tags);
        assertThat(attributes.lock())
                .isEqualTo(new ObjectLock(until(Mode.GOVERNANCE, SOON), Optional.of(LegalHold.ON)));
        assertThat(attributes.headers()).containsEntry("content-type", "text/plain");
    }

    // ---- new versions

    private ObjectVersion putLocked(String key, ObjectLock lock) throws IOException {
        return store.put(
                ALICE,
                BUCKET,
                key(key),
                body(key),
                attributes(key).with(lock),
                WriteCondition.NONE);
    }

    @Test
    void newVersionsAreLockedAsAskedFor() throws IOException {
        ObjectLock lock = new ObjectLock(until(Mode.GOVERNANCE, SOON), Optional.of(LegalHold.ON));
        assertThat(lockOf(putLocked("put", lock))).isEqualTo(lock);
        assertThat(lockOf(copy("put", "copy", lock))).isEqualTo(lock);
        assertThat(lockOf(upload("upload", lock))).isEqualTo(lock);
        assertThat(lockOf(copy("put", "free", ObjectLock.NONE))).isEqualTo(ObjectLock.NONE);
    }

    @Test
    void newVersionsHaveTheDefaultRetentionOfTheirBucket() throws IOException {
        store.setObjectLock(ALICE, BUCKET, new BucketLock(Optional.of(TWO_YEARS)));
        Optional<LegalHold> on = Optional.of(LegalHold.ON);
        ObjectLock hold = new ObjectLock(Optional.empty(), on);
        ObjectLock own = new ObjectLock(until(Mode.GOVERNANCE, SOON), Optional.empty());
        for (ObjectVersion version :
                List.of(putLocked("put", hold), copy("put", "copy", hold), upload("up", hold))) {
            Instant until = version.modified().plus(Duration.ofDays(730));
            assertThat(lockOf(version))
                    .isEqualTo(new ObjectLock(until(Mode.COMPLIANCE, until), on));
        }
        assertThat(lockOf(putLocked("own", own))).isEqualTo(own);
        assertThat(delete("put").markerCreated()).isTrue();
        store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
        assertThat(lockOf(put("later", "x"))).isEqualTo(ObjectLock.NONE);
    }

    private ObjectVersion copy(String from, String to, ObjectLock lock) throws IOException {
        return store.copy(
                        ALICE,
                        new Source(BUCKET, key(from), LATEST),
                        BUCKET,
                        key(to),
                        source -> {},
                        source -> source.attributes().with(lock),
                        WriteCondition.NONE)
                .target();
    }

    private ObjectVersion upload(String key, ObjectLock lock) throws IOException {
        String upload =
                store.createUpload(ALICE, BUCKET, key(key), uploadAttributes().with(lock))
                        .uploadId();
        String etag = putPart(key, upload, 1, "part").etag();
        return store.completeUpload(
                ALICE,
                BUCKET,
                key(key),
                upload,
                List.of(new PartChoice(1, etag, Optional.empty())),
                (info, parts) -> info.attributes(),
                WriteCondition.NONE);
    }

    @Test
    void locksThatNobodyCanHaveAreRefused() throws IOException {
        put("a", "text");
        ObjectLock over = new ObjectLock(until(Mode.GOVERNANCE, Instant.EPOCH), Optional.empty());
        refused(Reason.RETENTION_OVER, () -> putLocked("b", over));
        refused(Reason.RETENTION_OVER, () -> copy("a", "b", over));
        refused(Reason.RETENTION_OVER, () -> upload("b", over));
        assertThat(chain()).containsExactly("a id*");
        BucketName plain = new BucketName("plain");
        store.createBucket(ALICE, plain);
        ObjectLock hold = new ObjectLock(Optional.empty(), Optional.of(LegalHold.OFF));
        ObjectAttributes asked = attributes("x").with(hold);
        refused(
                Reason.NO_OBJECT_LOCK,
                () -> store.put(ALICE, plain, key("a"), body("x"), asked, WriteCondition.NONE));
        refused(Reason.NO_OBJECT_LOCK, () -> store.createUpload(ALICE, plain, key("a"), asked));
        store.put(ALICE, plain, key("a"), body("x"), attributes("x"), WriteCondition.NONE);
        refused(
                Reason.NO_OBJECT_LOCK,
                () -> store.setLock(ALICE, plain, key("a"), LATEST, new OfLegalHold(LegalHold.ON)));
    }

    // ---- buckets

    @Test
    void aBucketWithObjectLockStaysVersioned() throws IOException {
        BucketName made = new BucketName("made");
        assertThat(store.createBucket(ALICE, made, true).versioning())
                .isEqualTo(VersioningState.ENABLED);
        for (BucketName bucket : List.of(BUCKET, made)) {
            refused(
                    Reason.STAYS_VERSIONED,
                    () -> store.setVersioning(ALICE, bucket, VersioningState.SUSPENDED));
            store.setVersioning(ALICE, bucket, VersioningState.ENABLED);
        }
        store.setObjectLock(ALICE, made, new BucketLock(Optional.of(TWO_YEARS)));
        store.close();
        store = reopen();
        assertThat(store.bucket(made).orElseThrow().lock())
                .contains(new BucketLock(Optional.of(TWO_YEARS)));
        assertThat(store.bucket(BUCKET).orElseThrow().lock()).contains(BucketLock.PLAIN);
    }

    @Test
    void objectLockNeedsVersioning() throws IOException {
        BucketName plain = new BucketName("plain");
        store.createBucket(ALICE, plain);
        refused(Reason.NOT_VERSIONED, () -> store.setObjectLock(ALICE, plain, BucketLock.PLAIN));
        store.setVersioning(ALICE, plain, VersioningState.SUSPENDED);
        refused(Reason.NOT_VERSIONED, () -> store.setObjectLock(ALICE, plain, BucketLock.PLAIN));
        assertThat(store.bucket(plain).orElseThrow().lock()).isEmpty();
        for (int period : new int[] {0, -1, 101}) {
            assertThatThrownBy(() -> new DefaultRetention(Mode.GOVERNANCE, period, Unit.YEARS))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
