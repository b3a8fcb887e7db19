package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyPattern;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bounds of the history besides age: states per key, bytes, and ignored keys. */
class HistoryLimitsTest extends PastFixture {
    private static final int STATES_MAX = 3;
    private static final Caller HELPER = new Caller("alice", "key-h", "helper");

    @Override
    public HistorySettings historySettings() {
        HistorySettings defaults = HistorySettings.DEFAULTS;
        return new HistorySettings(
                HistoryPolicy.CYCLE_AVOIDANCE,
                defaults.resolution(),
                defaults.idleTimeout(),
                defaults.retention(),
                STATES_MAX,
                List.of(new KeyPattern("photos/hub*")));
    }

    @BeforeEach
    void keepEverything() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
    }

    private long kept() {
        return store.history().kept(BUCKET).states();
    }

    @Test
    void theOldestStateOfAKeyGoesWhenThereIsOneMore() throws IOException {
        Instant[] instants = new Instant[6];
        for (int i = 0; i < instants.length; i++) {
            put(ALICE, "key", "state " + i);
            put(ALICE, "other", "state " + i % 2);
            instants[i] = tick();
            assertThat(kept()).isEqualTo(2 * Math.min(i, STATES_MAX));
        }
        assertThat(past(instants[2])).isEqualTo(Map.of("key", "state 2", "other", "state 0"));
        assertThat(past(instants[1])).isEmpty();
        assertThat(liveBodies()).isEqualTo(2 * (STATES_MAX + 1));
        delete(ALICE, "key");
        tick();
        assertThat(kept()).isEqualTo(2 * STATES_MAX);
        assertThat(past(instants[5])).containsEntry("key", "state 5");
        assertThat(past(instants[2])).doesNotContainKey("key");
    }

    /** A key with the maximum number of states may have had earlier ones. */
    @Test
    void anEarlierLifeThatWentIsNotTakenForNothing() throws IOException {
        put(ALICE, "key", "earlier life");
        Instant earlier = tick();
        delete(THIEF, "key");
        tick();
        for (int i = 0; i <= STATES_MAX; i++) {
            put(ALICE, "key", "state " + i);
            tick();
        }
        assertThat(past(earlier)).isEmpty();
        Restore.Request back =
                new Restore.Request(
                        BUCKET, "", new Restore.Goal.ToInstant(earlier), Restore.OnConflict.SKIP);
        assertThat(store.restore().plan(ALICE, back, Optional.empty(), 10).entries())
                .singleElement()
                .satisfies(
                        line ->
                                assertThat(line.conflict().orElseThrow())
                                        .contains("at most " + STATES_MAX));
    }

    @Test
    void theOldestGoesUntilWhatIsKeptHasRoom() throws IOException {
        for (int i = 0; i < 10; i++) {
            put(ALICE, "key " + i, "x".repeat(100));
            put(ALICE, "key " + i, "now");
            tick();
        }
        assertThat(kept()).isEqualTo(10);
        assertThat(store.retention().trimTo(10_000)).isZero();
        long removed = store.retention().trimTo(1000);
        assertThat(removed).isBetween(3L, 7L);
        assertThat(kept()).isEqualTo(10 - removed);
        assertThat(store.retention().trimTo(1000)).isZero();
        // The oldest: what was kept last is there.
        assertThat(
                        store.history()
                                .states(ALICE, BUCKET, new ObjectKey("key 9"), none(), 10)
                                .entries())
                .hasSize(2);
        assertThat(store.retention().trimTo(0)).isEqualTo(10 - removed);
        assertThat(rows(Families.HISTORY)).isZero();
    }

    private static Caller from(String address) {
        return new Caller(
                "alice",
                "key-a",
                Optional.empty(),
                new ActorName(ActorName.Kind.PROGRAM, "aws-cli", address),
                Optional.empty());
    }

    /** Overwrites and deletes what it wrote, again and again, with names that are always new. */
    private void fill(List<Caller> writers, int states) throws IOException {
        for (int i = 0; i < states; i++) {
            Caller writer = writers.get(i % writers.size());
            put(writer, "junk " + i, "j".repeat(1000));
            tick();
            delete(writer, "junk " + i);
        }
    }

    /** The owner's good states are older than all of the junk. */
    private void junkDisplacesItselfAlone(Caller owner, List<Caller> thieves) throws IOException {
        Map<String, String> good = new HashMap<>();
        for (int i = 0; i < 5; i++) {
            put(owner, "good " + i, "g".repeat(500));
            good.put("good " + i, "g".repeat(500));
        }
        Instant before = tick();
        for (int i = 0; i < 5; i++) {
            delete(thieves.getFirst(), "good " + i);
        }
        fill(thieves, 50);
        assertThat(store.retention().trimTo(20_000)).isPositive();
        assertThat(past(before)).isEqualTo(good);
        fill(thieves, 50);
        assertThat(store.retention().trimOldestBytes(50_000)).isPositive();
        assertThat(past(before)).isEqualTo(good);
        assertThat(store.retention().trimOldestBytes(1 << 20)).isPositive();
        assertThat(rows(Families.HISTORY)).isZero();
        assertThat(rows(Families.EVENTS)).isZero();
    }

    @Test
    void junkOfAnotherUserDisplacesNoGoodStates() throws IOException {
        Caller mallory = new Caller("mallory", "key-m", "program");
        junkDisplacesItselfAlone(ALICE, List.of(mallory));
    }

    @Test
    void junkOfAStolenKeyAtOtherAddressesDisplacesNoGoodStates() throws IOException {
        junkDisplacesItselfAlone(
                from("192.0.2.7"), List.of(from("203.0.113.5"), from("203.0.113.6")));
    }

    /** All addresses of one network share one part of the history. */
    @Test
    void addressesOfOneNetworkHaveOneShare() throws IOException {
        List<Caller> thieves =
                IntStream.range(1, 30).mapToObj(i -> from("2001:db8:0:1::" + i)).toList();
        junkDisplacesItselfAlone(from("2001:db8:0:2::1"), thieves);
    }

    private static Optional<String> none() {
        return Optional.empty();
    }

    @Test
    void bytesOfStatesThatShareThemCountOnce() throws IOException {
        put(ALICE, "key", "x".repeat(1000));
        for (int i = 0; i < STATES_MAX; i++) {
            var tagged =
                    store.setTags(
                            ALICE,
                            BUCKET,
                            new ObjectKey("key"),
                            VersionSelector.LATEST,
                            Map.of("round", "" + i));
            assertThat(tagged.bytes()).isEqualTo(1000);
        }
        assertThat(kept()).isEqualTo(STATES_MAX);
        assertThat(store.retention().trimTo(1600)).isZero();
        assertThat(store.retention().trimTo(900)).isPositive();
    }

    @Test
    void nobodyDependsOnKeysThatAreIgnored() throws IOException {
        policy(HistoryPolicy.CYCLE_AVOIDANCE);
        put(THIEF, "hub", "bad");
        put(THIEF, "plain", "bad");
        assertThat(read(ALICE, "hub")).isEqualTo("bad");
        put(ALICE, "made of the hub", "good");
        assertThat(read(HELPER, "plain")).isEqualTo("bad");
        put(HELPER, "made of plain", "bad too");
        var copied =
                store.copy(
                        new Caller("alice", "key-c", "copier"),
                        new ObjectStore.Source(
                                BUCKET, new ObjectKey("hub"), VersionSelector.LATEST),
                        BUCKET,
                        new ObjectKey("copy of the hub"),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().bytes()).isEqualTo(3);
        assertThat(derived("hub")).isEmpty();
        assertThat(derived("plain")).contains("made of plain");
        // Who wrote it is known, as of any other.
        assertThat(
                        store.history()
                                .states(ALICE, BUCKET, new ObjectKey("hub"), none(), 10)
                                .entries()
                                .getFirst()
                                .actor()
                                .orElseThrow()
                                .actor()
                                .name())
                .isEqualTo("thief");
    }

    private List<String> derived(String key) throws IOException {
        return store
                .history()
                .trace(
                        History.Direction.FORWARD,
                        BUCKET,
                        new ObjectKey(key),
                        Optional.empty(),
                        none(),
                        100)
                .entries()
                .stream()
                .map(History.Step::node)
                .filter(History.Node.OfObject.class::isInstance)
                .map(node -> ((History.Node.OfObject) node).place().key().value())
                .toList();
    }

    @Test
    void starsStandForAnything() {
        assertMatches("photos/a", "photos/a", true);
        assertMatches("photos/a", "photos/ab", false);
        assertMatches("photos/a*", "photos/a", true);
        assertMatches("photos/*/index", "photos/a/b/index", true);
        assertMatches("photos/*/index", "photos/index", false);
        assertMatches("*/index", "photos/a/index", true);
        assertMatches("*", "photos/a", true);
        assertMatches("photos/*a*b*", "photos/xxabxaxb.", true);
        assertMatches("photos/*ab", "photos/aab", true);
        assertMatches("photos/*ab", "photos/aba", false);
        assertMatches("videos/*", "photos/a", false);
    }

    private static void assertMatches(String pattern, String name, boolean expected) {
        int slash = name.indexOf('/');
        assertThat(
                        new KeyPattern(pattern)
                                .matches(
                                        new BucketName(name.substring(0, slash)),
                                        new ObjectKey(name.substring(slash + 1))))
                .as(pattern + " and " + name)
                .isEqualTo(expected);
    }
}
