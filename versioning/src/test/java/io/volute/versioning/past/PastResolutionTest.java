package io.volute.versioning.past;

import static io.volute.versioning.rows.Families.REMOVED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Transaction;
import io.volute.versioning.BucketSettings;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** States at whole seconds are kept, and a past that may be incomplete is not reported as exact. */
class PastResolutionTest extends PastFixture {
    private Duration resolution = Duration.ofSeconds(1);

    @Override
    public HistorySettings historySettings() {
        return HistorySettings.DEFAULTS.with(resolution);
    }

    private void reopen(Duration other) throws IOException {
        store.close();
        resolution = other;
        store = openStore();
    }

    private boolean isExact(Instant instant) {
        return store.settings().isExact(store.bucket(BUCKET).orElseThrow(), instant);
    }

    private List<Line> plan(Instant instant) throws IOException {
        Request request = new Request(BUCKET, "", new Goal.ToInstant(instant), OnConflict.SKIP);
        return store.restore().plan(ALICE, request, Optional.empty(), 100).entries();
    }

    private long kept() {
        return store.history().kept(BUCKET).states();
    }

    @ParameterizedTest
    @EnumSource(names = {"OPEN_CLOSE", "CYCLE_AVOIDANCE", "GRAPH_FINESSE"})
    void whatOneClientWroteAndDeletedComesBack(HistoryPolicy policy) throws IOException {
        policy(policy);
        put(ALICE, "k", "v1");
        Instant first = tick();
        put(ALICE, "k", "v2");
        Instant second = tick();
        delete(ALICE, "k");
        Instant gone = tick();
        assertThat(past(first)).isEqualTo(Map.of("k", "v1"));
        assertThat(past(second)).isEqualTo(Map.of("k", "v2"));
        assertThat(past(gone)).isEmpty();
        assertThat(
                        store.history()
                                .states(ALICE, BUCKET, new ObjectKey("k"), Optional.empty(), 10)
                                .entries())
                .hasSize(2);
        tick();
        assertThat(plan(first))
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line.exact()).isTrue();
                            assertThat(line.lost()).isEmpty();
                            assertThat(line.conflict()).isEmpty();
                        });
        Request back = new Request(BUCKET, "", new Goal.ToInstant(first), OnConflict.SKIP);
        assertThat(ended(store.restore().start(ALICE, back).id()).restored()).isEqualTo(1);
        assertThat(read(ALICE, "k")).isEqualTo("v1");
    }

    /** A reader who undoes the second of two writes finds what the first made. */
    @Test
    void aWriteBehindAWholeSecondIsInTheHistory() throws IOException {
        put(ALICE, "k", "v1");
        Instant since = tick();
        clock.updateAndGet(now -> now.plusMillis(5));
        put(ALICE, "k", "v2");
        tick();
        Request undo =
                new Request(
                        BUCKET,
                        "",
                        Restore.Goal.undo(
                                new Restore.Source.Name("laptop", Optional.empty()),
                                since.plusMillis(1)),
                        OnConflict.SKIP);
        assertThat(ended(store.restore().start(THIEF, undo).id()).restored()).isEqualTo(1);
        assertThat(read(THIEF, "k")).isEqualTo("v1");
    }

    @Test
    void whatNoReaderCouldNameIsNotKept() throws IOException {
        clock.updateAndGet(now -> now.plusMillis(1));
        put(ALICE, "k", "v1");
        clock.updateAndGet(now -> now.plusMillis(400));
        put(ALICE, "k", "v2");
        clock.updateAndGet(now -> now.plusMillis(400));
        delete(ALICE, "k");
        assertThat(kept()).isZero();
        put(ALICE, "k", "v3");
        clock.set(START.plusSeconds(1));
        put(ALICE, "k", "v4");
        assertThat(kept())
                .as("a reader of 1 s sees what was committed in its millisecond")
                .isZero();
        clock.updateAndGet(now -> now.plusMillis(1));
        put(ALICE, "k", "v5");
        assertThat(kept()).isEqualTo(1);
        tick();
        assertThat(past(START.plusSeconds(1))).isEqualTo(Map.of("k", "v4"));
        assertThat(past(START)).isEmpty();
    }

    @Test
    void aBucketMayHaveAResolutionOfItsOwn() throws IOException {
        BucketSettings settings = store.settings();
        settings.setResolution(BUCKET, Optional.of(Duration.ofMinutes(1)));
        put(ALICE, "k", "v1");
        Instant whole = tick();
        put(ALICE, "k", "v2");
        Instant second = tick();
        put(ALICE, "k", "v3");
        tick();
        assertThat(past(whole)).isEqualTo(Map.of("k", "v1"));
        assertThat(kept()).isEqualTo(1);
        assertThat(isExact(whole)).as("set in its millisecond").isTrue();
        assertThat(isExact(second)).isFalse();
        clock.set(START.plusSeconds(61));
        assertThat(isExact(START.plusSeconds(60))).isTrue();
        reopen(Duration.ZERO);
        assertThat(isExact(START.plusSeconds(60))).isTrue();
        settings = store.settings();
        settings.setResolution(BUCKET, Optional.empty());
        assertThat(isExact(START.plusSeconds(60))).as("may be let go from now on").isFalse();
    }

    @Test
    void thePastIsExactSinceTheRuleHolds() throws IOException {
        Instant first = tick();
        assertThat(isExact(first)).isTrue();
        assertThat(isExact(first.plusMillis(1))).as("finer").isFalse();
        reopen(Duration.ofSeconds(1));
        assertThat(isExact(first)).as("at the next start").isTrue();
        policy(HistoryPolicy.EVERY_WRITE);
        policy(HistoryPolicy.CYCLE_AVOIDANCE);
        assertThat(isExact(first)).isTrue();
        reopen(Duration.ofMillis(500));
        assertThat(isExact(first)).as("finer from now on, coarser then").isFalse();
        Instant finer = tick();
        assertThat(isExact(finer)).isTrue();
        reopen(Duration.ofSeconds(2));
        assertThat(isExact(finer)).as("no instant of the coarser one").isFalse();
        Instant coarser = tick();
        assertThat(isExact(coarser)).isTrue();
        tick();
        policy(HistoryPolicy.NONE);
        assertThat(isExact(coarser)).as("may be let go from now on").isFalse();
        tick();
        policy(HistoryPolicy.CYCLE_AVOIDANCE);
        assertThat(isExact(coarser)).as("may have been let go").isFalse();
        tick();
        assertThat(isExact(START.plusSeconds(6))).isTrue();
        tick();
        reopen(Duration.ZERO);
        assertThat(isExact(START.plusSeconds(6))).isFalse();
        reopen(Duration.ofSeconds(2));
        assertThat(isExact(START.plusSeconds(6))).as("was not so in between").isFalse();
    }

    /** A store of an earlier version has no record of when its past became exact. */
    @Test
    void theHistoryOfAnEarlierVersionIsNotTakenForExact() throws IOException {
        reopen(Duration.ZERO);
        put(ALICE, "k", "v1");
        put(ALICE, "m", "v1");
        Instant early = tick();
        put(ALICE, "m", "v2");
        delete(ALICE, "k");
        Instant late = tick();
        cube.commit(new Transaction().delete(REMOVED, RowKeys.resolution())).join();
        reopen(Duration.ofSeconds(1));
        put(ALICE, "m", "v3");
        Instant exact = tick();
        put(ALICE, "m", "v4");
        tick();
        assertThat(isExact(early)).isFalse();
        assertThat(isExact(late)).isFalse();
        assertThat(isExact(exact)).isTrue();
        assertThat(plan(early)).extracting(line -> line.key().value()).containsExactly("k", "m");
        assertThat(plan(early).getFirst().lost().orElseThrow()).contains("deleted by", "not kept");
        assertThat(plan(early).getLast().exact()).isFalse();
        assertThat(plan(exact))
                .singleElement()
                .satisfies(line -> assertThat(line.exact()).isTrue());
    }

    /** A restore reports keys whose past state is not known. */
    @Test
    void whatIsLostIsCounted() throws IOException {
        policy(HistoryPolicy.CYCLE_AVOIDANCE);
        reopen(Duration.ZERO);
        put(ALICE, "k", "v1");
        Instant then = tick();
        delete(ALICE, "k");
        tick();
        assertThat(plan(then))
                .singleElement()
                .satisfies(line -> assertThat(line.lost()).isPresent());
        Request back = new Request(BUCKET, "", new Goal.ToInstant(then), OnConflict.SKIP);
        Restore.Run run = ended(store.restore().start(ALICE, back).id());
        assertThat(run.restored()).isZero();
        assertThat(run.skipped()).isEqualTo(1);
    }

    /** The version behind the current one goes; the current one stays as it is, in the past too. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "CYCLE_AVOIDANCE", "EVERY_WRITE"})
    void aVersionWhoseNullVersionGoesHasBeenThereBefore(HistoryPolicy policy) throws IOException {
        policy(policy);
        put(ALICE, "k", "null");
        tick();
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        ObjectVersion current = put(ALICE, "k", "current");
        Instant then = tick();
        var gone =
                store.delete(
                        ALICE, BUCKET, current.key(), VersionSelector.NULL, WriteCondition.NONE);
        assertThat(gone).isNotNull();
        Instant since = tick();
        assertThat(past(then)).isEqualTo(Map.of("k", "current"));
        assertThat(past(since)).isEqualTo(Map.of("k", "current"));
    }
}
