package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The identity of an actor is kept while an event, a state or a session refers to it, and no
 * longer.
 */
class ActorTrimTest extends PastFixture {
    private static final Duration RETENTION = Duration.ofHours(6);
    private static final Duration IDLE = Duration.ofHours(9);

    @Override
    public HistorySettings historySettings() {
        HistorySettings defaults = HistorySettings.DEFAULTS;
        return new HistorySettings(
                HistoryPolicy.CYCLE_AVOIDANCE,
                defaults.resolution(),
                IDLE,
                RETENTION,
                defaults.statesMax(),
                List.of());
    }

    @BeforeEach
    void keepEverything() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
    }

    private static Caller named(String name) {
        return new Caller("alice", "key-a", name);
    }

    private void pass(Duration time) {
        clock.set(clock.get().plus(time));
    }

    /** Names, those that began last first. */
    private List<String> actors() throws IOException {
        return store
                .history()
                .actors(History.ActorFilter.ALL, Optional.empty(), 1000)
                .entries()
                .stream()
                .map(History.ActorInfo::name)
                .toList();
    }

    private List<String> actorsAfterTrim() throws IOException {
        long removed = store.retention().trim();
        assertThat(removed).isNotNegative();
        return actors();
    }

    @Test
    void whoOnlyReadGoesAndWhoWroteWhatIsThereStays() throws IOException {
        put(named("writer"), "key", "text");
        assertThat(read(named("reader"), "key")).isEqualTo("text");
        put(named("passer"), "gone", "text");
        delete(named("passer"), "gone");
        assertThat(actors()).containsExactly("passer", "reader", "writer");
        pass(Duration.ofDays(10));
        put(named("late"), "other", "text");
        assertThat(actorsAfterTrim()).containsExactly("late", "writer");
    }

    @Test
    void whoWroteAKeptStateStaysAsLongAsThat() throws IOException {
        put(named("first"), "key", "1");
        pass(Duration.ofDays(10));
        put(named("second"), "key", "2");
        pass(Duration.ofHours(1));
        assertThat(actorsAfterTrim()).containsExactly("second", "first");
        pass(Duration.ofDays(3));
        assertThat(actorsAfterTrim()).containsExactly("second");
    }

    @Test
    void whoWroteANoncurrentVersionStays() throws IOException {
        store.setVersioning(ALICE, BUCKET, BucketInfo.VersioningState.ENABLED);
        put(named("first"), "key", "1");
        put(named("second"), "key", "2");
        pass(Duration.ofDays(10));
        assertThat(actorsAfterTrim()).containsExactly("second", "first");
    }

    @Test
    void whoIsStillThereIsKnownWhenHeGoesOn() throws IOException {
        put(named("writer"), "key", "text");
        assertThat(read(named("reader"), "key")).isEqualTo("text");
        pass(RETENTION.plus(Duration.ofHours(1)));
        assertThat(actorsAfterTrim()).containsExactly("reader", "writer");
        put(named("reader"), "key", "more");
        assertThat(actors()).containsExactly("reader", "writer");
        pass(Duration.ofDays(10));
        assertThat(actorsAfterTrim()).containsExactly("reader");
    }

    @Test
    void onceADayIsEnough() throws IOException {
        put(named("writer"), "key", "text");
        assertThat(actorsAfterTrim()).containsExactly("writer");
        assertThat(read(named("reader"), "key")).isEqualTo("text");
        assertThat(actors()).containsExactly("reader", "writer");
        pass(Duration.ofHours(20));
        assertThat(actorsAfterTrim()).containsExactly("reader", "writer");
        pass(Duration.ofHours(5));
        assertThat(actorsAfterTrim()).containsExactly("writer");
    }
}
