package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordCursor;
import io.volute.versioning.ClockState.Unknown;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The past after a clock that jumped a day ahead and back. */
class ClockJumpTest extends PastFixture {
    private Instant before = START;
    private Instant back = START;

    /** A write before a jump, one a day ahead, and one after the clock is back. */
    private void jumpAndReturn() throws IOException {
        pass(Duration.ofSeconds(60));
        assertThat(put(ALICE, "a", "before")).isNotNull();
        before = clock.get();
        pass(Duration.ofDays(1));
        assertThat(put(ALICE, "a", "a day ahead")).isNotNull();
        back = before.plusSeconds(5);
        clock.set(back);
        assertThat(put(ALICE, "b", "after")).isNotNull();
        pass(Duration.ofSeconds(2));
    }

    private void pass(Duration time) {
        clock.updateAndGet(now -> now.plus(time));
    }

    private static void assertRefused(ThrowingCallable read) {
        assertThatThrownBy(read)
                .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("the clock of the server went back");
    }

    @Test
    void thePastOfASecondAgoIsNotStale() throws IOException {
        jumpAndReturn();
        assertRefused(() -> past(clock.get().minusSeconds(1)));
        assertRefused(() -> past(before.plusSeconds(1)));
        assertThat(past(before)).isEqualTo(Map.of("a", "before"));
    }

    @Test
    void everyReaderOfThePastIsRefused() throws IOException {
        jumpAndReturn();
        Instant second = clock.get().minusSeconds(1);
        assertRefused(() -> store.asOf(second));
        assertRefused(
                () ->
                        store.copy(
                                ALICE,
                                new Source(
                                        BUCKET,
                                        new ObjectKey("a"),
                                        VersionSelector.LATEST,
                                        Optional.of(second)),
                                BUCKET,
                                new ObjectKey("c"),
                                version -> {},
                                ObjectVersion::attributes,
                                WriteCondition.NONE));
        assertRefused(() -> plan(new Goal.ToInstant(second)));
        assertRefused(() -> store.restore().start(ALICE, request(new Goal.ToInstant(second))));
        assertRefused(() -> plan(Goal.undo(new Restore.Source.Actor(1), second)));
    }

    private Restore.Request request(Goal goal) {
        return new Restore.Request(BUCKET, "", goal, Restore.OnConflict.SKIP);
    }

    private void plan(Goal goal) throws IOException {
        assertThat(store.restore().plan(ALICE, request(goal), Optional.empty(), 10)).isNotNull();
    }

    @Test
    void thePastIsExactOnceTheClockHasCaughtUp() throws IOException {
        jumpAndReturn();
        Instant ahead = before.plus(Duration.ofDays(1));
        clock.set(ahead.plusSeconds(10));
        assertThat(put(ALICE, "c", "later")).isNotNull();
        Instant later = clock.get();
        pass(Duration.ofSeconds(1));
        assertThat(past(later.plusMillis(1))).containsOnlyKeys("a", "b", "c");
        assertRefused(() -> past(back.plusSeconds(600)));
        assertRefused(() -> past(ahead.plusSeconds(1)));
        assertThat(past(before)).isEqualTo(Map.of("a", "before"));
        assertThat(store.clock().behind()).isZero();
        assertThat(store.clock().unknown())
                .containsExactly(new Unknown(before.plusMillis(1), Optional.of(later)));
    }

    /**
     * A clock that went on evenly, and is set back: once it has caught up, the past is as it was
     * before. Until then the past of a second ago would lack the last second.
     */
    @Test
    void aClockThatIsSetBackLeavesThePastAsItWas() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        for (int i = 0; i < 60; i++) {
            assertThat(put(ALICE, "a", "text " + i)).isNotNull();
            assertThat(tick()).isEqualTo(START.plusSeconds(i));
        }
        clock.set(START.plusSeconds(20));
        assertThat(put(ALICE, "b", "after")).isNotNull();
        pass(Duration.ofSeconds(2));
        assertRefused(() -> past(START.plusSeconds(21)));
        assertRefused(() -> past(START.plusSeconds(20)));
        pass(Duration.ofSeconds(60));
        assertThat(store.clock().behind()).isZero();
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < 59; i++) {
            assertThat(past(START.plusSeconds(i))).isEqualTo(Map.of("a", "text " + i));
        }
        assertRefused(() -> past(START.plusSeconds(60)));
    }

    /** Nothing is written after the jump, and the server starts anew. */
    @Test
    void aStartFindsTheJump() throws IOException {
        pass(Duration.ofSeconds(60));
        assertThat(put(ALICE, "a", "before")).isNotNull();
        before = clock.get();
        pass(Duration.ofDays(1));
        assertThat(put(ALICE, "a", "a day ahead")).isNotNull();
        store.close();
        clock.set(before.plusSeconds(5));
        store = openStore();
        pass(Duration.ofDays(2));
        assertThat(store.clock().behind()).isZero();
        pass(Duration.ofSeconds(1));
        assertRefused(() -> past(before.plusSeconds(4)));
        assertThat(past(before)).isEqualTo(Map.of("a", "before"));
        assertThat(past(clock.get().minusMillis(1))).isEqualTo(Map.of("a", "a day ahead"));
    }

    /** Returns whether the row of the clock is written. */
    private boolean isRecorded() {
        return cube.get(Families.REMOVED, RowKeys.clock()).isPresent();
    }

    @Test
    void aSteadyClockWritesNoRow() throws IOException {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(i % 7 * 40L));
            assertThat(put(ALICE, "a", "text " + i)).isNotNull();
            Instant now = tick();
            assertThat(past(now)).isEqualTo(Map.of("a", "text " + i));
            assertThat(store.clock().behind()).isZero();
        }
        assertThat(isRecorded()).isFalse();
    }

    /** A batch of many records runs ahead of the clock, and clocks are slewed. */
    @Test
    void aSmallStepBackIsNoJump() throws IOException {
        assertThat(put(ALICE, "a", "one")).isNotNull();
        pass(Duration.ofMillis(-100));
        assertThat(put(ALICE, "a", "two")).isNotNull();
        assertThat(isRecorded()).isFalse();
        pass(Duration.ofMillis(-1));
        assertThat(put(ALICE, "a", "three")).isNotNull();
        assertThat(isRecorded()).isTrue();
    }

    /** The watch refuses a past whose stretch it cannot write yet, and writes it later. */
    @Test
    void aReadOnlyStoreRefusesThePastAsWell() throws IOException {
        store.close();
        boolean[] isReadOnly = new boolean[1];
        cube =
                refusing(
                        transaction ->
                                isReadOnly[0]
                                        ? Optional.of(
                                                new CubeUnavailableException(
                                                        CubeUnavailableException.Reason.READ_ONLY,
                                                        "told so by the test"))
                                        : Optional.empty());
        store = openStore();
        assertThat(store.createBucket(ALICE, BUCKET)).isNotNull();
        pass(Duration.ofDays(1));
        assertThat(put(ALICE, "a", "a day ahead")).isNotNull();
        isReadOnly[0] = true;
        clock.set(START.plusSeconds(60));
        assertRefused(() -> past(START.plusSeconds(30)));
        assertThat(isRecorded()).isFalse();
        isReadOnly[0] = false;
        assertThat(store.clock().behind()).isPositive();
        assertThat(isRecorded()).isTrue();
    }

    /** The row is none of an object key: what walks over these finds none. */
    @Test
    void theRowIsNoObjectKey() throws IOException {
        jumpAndReturn();
        int marks = 0;
        try (RecordCursor rows = cube.scan(Families.REMOVED, new byte[0], new byte[0])) {
            while (rows.next()) {
                marks += RowKeys.isOfKey(rows.key()) ? 0 : 1;
            }
        }
        assertThat(marks).isPositive();
        assertThat(isRecorded()).isTrue();
    }
}
