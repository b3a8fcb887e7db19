package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.History;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HistoryTest extends PastFixture {
    private static final Caller HELPER = new Caller("alice", "key-h", "helper");

    private History history() {
        return store.history();
    }

    private List<KeyState> states(String key, int max) throws IOException {
        List<KeyState> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Page<KeyState> page = history().states(ALICE, BUCKET, new ObjectKey(key), from, max);
            assertThat(page.entries().size()).isLessThanOrEqualTo(max);
            all.addAll(page.entries());
            from = page.next();
        } while (from.isPresent());
        return all;
    }

    @Test
    void statesTellWhoWroteThemAndWhen() throws IOException {
        put(ALICE, "a", "one");
        tick();
        put(ALICE, "a", "two!");
        tick();
        put(THIEF, "a", "three");
        tick();
        delete(HELPER, "a");
        for (int max : new int[] {1, 2, 1000}) {
            List<KeyState> states = states("a", max);
            assertThat(states).extracting(KeyState::bytes).containsExactly(5L, 4L);
            KeyState stolen = states.getFirst();
            assertThat(stolen.visible()).isFalse();
            assertThat(stolen.began()).isEqualTo(START.plusSeconds(2));
            assertThat(stolen.ended()).contains(START.plusSeconds(3));
            assertThat(stolen.actor().orElseThrow().actor().name()).isEqualTo("thief");
            KeyState good = states.getLast();
            assertThat(good.began()).isEqualTo(START);
            assertThat(good.written()).isEqualTo(START.plusSeconds(1));
            assertThat(good.ended()).contains(START.plusSeconds(2));
            assertThat(good.actor().orElseThrow().actor().accessKey()).isEqualTo("key-a");
        }
    }

    private List<String> activity(ActivityFilter filter, int max) throws IOException {
        List<String> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Page<Activity> page = history().activity(filter, from, max);
            for (Activity each : page.entries()) {
                all.add(
                        each.actor().actor().name()
                                + " "
                                + each.action()
                                + " "
                                + each.bucket()
                                + "/"
                                + each.key().value()
                                + each.source()
                                        .map(place -> " from " + place.key().value())
                                        .orElse(""));
            }
            from = page.next();
        } while (from.isPresent());
        return all;
    }

    private static ActivityFilter named(String name) {
        return new ActivityFilter(
                Optional.empty(), ActorFilter.ofName(name), Optional.empty(), Optional.empty());
    }

    @Test
    void activitySaysWhoDidWhat() throws IOException {
        put(ALICE, "a", "one");
        tick();
        assertThat(read(THIEF, "a")).isEqualTo("one");
        assertThat(read(THIEF, "a")).isEqualTo("one");
        put(THIEF, "b", "stolen");
        tick();
        var copied =
                store.copy(
                        THIEF,
                        new ObjectStore.Source(BUCKET, new ObjectKey("b"), VersionSelector.LATEST),
                        BUCKET,
                        new ObjectKey("c"),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().bytes()).isEqualTo(6);
        delete(THIEF, "a");
        assertThat(read(HELPER, "c")).isEqualTo("stolen");
        for (int max : new int[] {1, 3, 1000}) {
            assertThat(activity(named("thief"), max))
                    .containsExactly(
                            "thief READ photos/a",
                            "thief PUT photos/b",
                            "thief PUT photos/c from b",
                            "thief REMOVE photos/a");
        }
        ActivityFilter early =
                new ActivityFilter(
                        Optional.empty(),
                        ActorFilter.ofAccessKey("key-a"),
                        Optional.of(START),
                        Optional.of(START));
        assertThat(activity(early, 10)).containsExactly("laptop PUT photos/a");
        assertThat(activity(named("helper"), 10)).containsExactly("helper READ photos/c");
        List<ActorInfo> actors =
                history().actors(ActorFilter.ofAccessKey("key-a"), Optional.empty(), 10).entries();
        assertThat(actors).extracting(ActorInfo::name).containsExactly("thief", "laptop");
    }

    private List<String> trace(Direction direction, String key, int max) throws IOException {
        List<String> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Page<Step> page =
                    history()
                            .trace(
                                    direction,
                                    BUCKET,
                                    new ObjectKey(key),
                                    Optional.empty(),
                                    from,
                                    max);
            page.entries()
                    .forEach(step -> all.add(shown(step.node()) + " " + shown(step.through())));
            from = page.next();
        } while (from.isPresent());
        return all;
    }

    private static String shown(Node node) {
        return switch (node) {
            case Node.OfActor who -> who.actor().actor().name();
            case Node.OfObject what -> what.place().key().value();
            case Node.Closed closed -> "closed";
        };
    }

    @Test
    void tracesFollowWhatWasReadAndWritten() throws IOException {
        put(ALICE, "before", "x");
        put(THIEF, "untouched", "u");
        put(ALICE, "root", "r");
        assertThat(read(HELPER, "root")).isEqualTo("r");
        put(HELPER, "derived", "d");
        assertThat(read(THIEF, "derived")).isEqualTo("d");
        put(THIEF, "far", "f");
        put(HELPER, "derived too", "d");
        for (int max : new int[] {1, 2, 1000}) {
            assertThat(trace(Direction.FORWARD, "root", max))
                    .containsExactly(
                            "helper root",
                            "derived helper",
                            "thief derived",
                            "far thief",
                            "derived too helper");
            assertThat(trace(Direction.BACK, "far", max))
                    .containsExactly(
                            "thief far",
                            "derived thief",
                            "helper derived",
                            "root helper",
                            "laptop root");
        }
        assertThat(trace(Direction.FORWARD, "untouched", 10)).isEmpty();
    }

    /** Writes of an actor before a read do not depend on that read. */
    @Test
    void causesComeBeforeEffects() throws IOException {
        put(ALICE, "root", "r");
        put(HELPER, "early", "e");
        assertThat(read(HELPER, "root")).isEqualTo("r");
        put(HELPER, "late", "l");
        assertThat(trace(Direction.FORWARD, "root", 10))
                .containsExactly("helper root", "late helper");
        assertThat(trace(Direction.BACK, "early", 10)).containsExactly("helper early");
    }

    /** The walk backwards goes in windows of row numbers. */
    @Test
    void longTracesAreWalkedInBothDirections() throws IOException {
        put(ALICE, "k0", "0");
        int length = 3000;
        for (int i = 1; i <= length; i++) {
            Caller link = new Caller("alice", "key-a", "link" + i);
            assertThat(read(link, "k" + (i - 1))).isEqualTo("" + (i - 1));
            put(link, "k" + i, "" + i);
        }
        assertThat(trace(Direction.FORWARD, "k0", 1000)).hasSize(2 * length);
        assertThat(trace(Direction.BACK, "k" + length, 1000)).hasSize(2 * length + 1);
    }

    @Test
    void eventsSurviveARestart() throws IOException {
        put(ALICE, "root", "r");
        assertThat(read(HELPER, "root")).isEqualTo("r");
        store.close();
        store = openStore();
        assertThat(activity(named("helper"), 10)).containsExactly("helper READ photos/root");
        put(HELPER, "later", "l");
        assertThat(trace(Direction.FORWARD, "root", 10)).containsExactly("helper root");
    }

    @Test
    void whatWasKeptForLongEnoughIsRemoved() throws IOException {
        put(ALICE, "a", "one");
        put(THIEF, "a", "two");
        Instant old = tick();
        clock.updateAndGet(now -> now.plus(Duration.ofDays(6)));
        put(ALICE, "a", "three");
        Instant late = tick();
        assertThat(store.retention().trim()).isZero();
        assertThat(history().kept(BUCKET)).isEqualTo(new History.Kept(2, 6));
        clock.updateAndGet(now -> now.plus(Duration.ofDays(1)));
        assertThat(store.retention().trim()).isEqualTo(1);
        assertThat(states("a", 10)).extracting(KeyState::bytes).containsExactly(5L, 3L);
        assertThat(past(old)).isEqualTo(java.util.Map.of("a", "two"));
        assertThat(past(late)).isEqualTo(java.util.Map.of("a", "three"));
        clock.updateAndGet(now -> now.plus(Duration.ofDays(7)));
        assertThat(store.retention().trim()).isEqualTo(1);
        assertThat(states("a", 10)).extracting(KeyState::bytes).containsExactly(5L);
        assertThat(liveBodies()).isEqualTo(1);
    }

    @Test
    void theOldestGoesFirstWhenSpaceIsShort() throws IOException {
        for (int i = 0; i < 5; i++) {
            put(ALICE, "k" + i, "good" + i);
            put(THIEF, "k" + i, "bad");
            tick();
        }
        Instant now = tick();
        assertThat(store.retention().trimOldest(2)).isEqualTo(2);
        assertThat(states("k1", 10)).hasSize(1);
        assertThat(states("k2", 10)).hasSize(2);
        assertThat(past(now)).hasSize(5);
        assertThat(store.retention().trimOldest(10)).isEqualTo(3);
        assertThat(history().kept(BUCKET)).isEqualTo(new History.Kept(0, 0));
    }

    @Test
    void purgeRemovesWhatEndedBefore() throws IOException {
        put(ALICE, "a", "one");
        put(THIEF, "a", "two");
        Instant first = tick();
        put(ALICE, "a", "three");
        assertThat(history().purge(ALICE, BUCKET, first)).isEqualTo(1);
        assertThat(history().kept(BUCKET).states()).isEqualTo(1);
        assertThat(past(first)).isEqualTo(java.util.Map.of("a", "two"));
        tick();
        assertThat(history().purge(ALICE, BUCKET, tick())).isEqualTo(1);
        assertThat(liveBodies()).isEqualTo(1);
    }

    /** Also to who is in the middle of a listing, whose next page may be made already. */
    @Test
    void whatWasPurgedIsNotListed() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        for (String key : List.of("a", "b", "c", "d")) {
            put(ALICE, key, "old");
        }
        Instant old = tick();
        ObjectReader then = store.asOf(old);
        ObjectQuery second = new ObjectQuery("", "", "a", 1);
        assertThat(then.listObjects(ALICE, BUCKET, second).next()).contains("b");
        for (String key : List.of("a", "b", "c", "d")) {
            delete(ALICE, key);
        }
        assertThat(history().purge(ALICE, BUCKET, tick())).isEqualTo(4);
        ObjectQuery third = new ObjectQuery("", "", "b", 1);
        assertThat(then.listObjects(ALICE, BUCKET, third).objects()).isEmpty();
    }

    @Test
    void wrongQuestionsAreRefused() {
        ObjectKey missing = new ObjectKey("missing");
        assertThatThrownBy(
                        () ->
                                history()
                                        .trace(
                                                Direction.BACK,
                                                BUCKET,
                                                missing,
                                                Optional.empty(),
                                                Optional.empty(),
                                                10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> history().states(ALICE, BUCKET, missing, Optional.of("x"), 10))
                .isInstanceOf(StoreException.class);
    }

    /** Every policy's own rule, of the same writes. */
    @Test
    void policiesDecideWhatIsKept() throws IOException {
        long[] kept = new long[HistoryPolicy.values().length];
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            policy(policy);
            String key = policy.text();
            put(ALICE, key, "1");
            put(ALICE, key, "2");
            put(THIEF, key, "3");
            put(ALICE, key, "4");
            kept[policy.ordinal()] =
                    states(key, 10).stream().filter(state -> !state.visible()).count();
        }
        assertThat(kept).containsExactly(0, 0, 2, 0, 3);
    }
}
