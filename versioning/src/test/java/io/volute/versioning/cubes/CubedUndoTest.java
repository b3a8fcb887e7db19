package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Undoes a stolen key and everything derived from it in two buckets of two cubes, of which one
 * moves, is split and merged meanwhile. A model has who made each state and what it came from.
 */
class CubedUndoTest extends MovesFixture {
    private static final String OTHER = "letters";
    private static final Caller THIEF = new Caller("alice", "key-t", "thief");
    private static final Caller AUDITOR = new Caller("auditor", "key-x", "auditor");
    private static final List<String> KEYS = List.of("a", "k", "s", "z");
    private static final int STEPS = 45;

    /**
     * A state of a key.
     *
     * @param text empty after a delete
     */
    private record State(Optional<String> text, boolean isTainted) {
        private static final State NONE = new State(Optional.empty(), false);
    }

    /** The states of each key, oldest first, by bucket and key. */
    private final Map<String, List<State>> states = new TreeMap<>();

    /** Clients that have read what the thief made, or something derived from it. */
    private final Set<String> tainted = new HashSet<>(Set.of(THIEF.accessKey()));

    private static Caller client(int number) {
        return new Caller("bob", "key-" + number, "client-" + number);
    }

    private State present(String place) {
        return states.getOrDefault(place, List.of(State.NONE)).getLast();
    }

    private void add(String place, Caller who, Optional<String> text, boolean isTainted) {
        boolean isDerived = isTainted || tainted.contains(who.accessKey());
        states.computeIfAbsent(place, same -> new ArrayList<>(List.of(State.NONE)))
                .add(new State(text, isDerived));
    }

    private void step(SplittableRandom random, int step) throws Exception {
        Caller who = random.nextInt(5) == 0 ? THIEF : client(random.nextInt(6));
        String bucket = random.nextBoolean() ? BUCKET : OTHER;
        String key = KEYS.get(random.nextInt(KEYS.size()));
        String place = bucket + "/" + key;
        boolean isThere = present(place).text().isPresent();
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                if (isThere) {
                    assertThat(get(who, bucket, key)).isEqualTo(present(place).text().get());
                    if (present(place).isTainted()) {
                        tainted.add(who.accessKey());
                    }
                }
            }
            case 2 -> {
                if (isThere) {
                    store.delete(
                            who,
                            name(bucket),
                            key(key),
                            VersionSelector.LATEST,
                            WriteCondition.NONE);
                    add(place, who, Optional.empty(), false);
                }
            }
            case 3, 4 -> {
                String target = random.nextBoolean() ? BUCKET : OTHER;
                String targetKey = KEYS.get(random.nextInt(KEYS.size()));
                if (isThere && !place.equals(target + "/" + targetKey)) {
                    assertThat(copy(who, bucket, key, target, targetKey)).isNotNull();
                    add(
                            target + "/" + targetKey,
                            who,
                            present(place).text(),
                            present(place).isTainted());
                }
            }
            case 5 -> move(random);
            default -> {
                String text = "step " + step + " of " + who.accessKey();
                put(who, bucket, key, text);
                add(place, who, Optional.of(text), false);
            }
        }
    }

    private void move(SplittableRandom random) throws Exception {
        String home = cubes.cubeOf(name(BUCKET)).orElseThrow();
        if (cubes.moves().parts(name(BUCKET)).size() > 1) {
            cubes.moves().merge(name(BUCKET), key("m"));
        } else if (random.nextBoolean()) {
            cubes.moves().start(name(BUCKET), home.equals("one") ? "two" : "one");
        } else {
            cubes.moves().split(name(BUCKET), key("m"), home.equals("one") ? "two" : "one");
        }
        awaitMoves();
    }

    private void undo(String bucket) throws IOException {
        Goal goal = Goal.undo(new Restore.Source.AccessKey(THIEF.accessKey()), Instant.EPOCH);
        Restore.Run run =
                store.restore().start(ALICE, new Request(name(bucket), "", goal, OnConflict.SKIP));
        while (store.restore().run(run.id()).phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
        }
        assertThat(store.restore().run(run.id()).phase()).isEqualTo(Restore.Phase.DONE);
    }

    private Optional<String> found(String bucket, String key) throws IOException {
        try {
            return Optional.of(get(AUDITOR, bucket, key));
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(StoreException.Reason.NO_SUCH_KEY);
            return Optional.empty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void noTaintedStateStaysAndNothingHonestGoes(long seed) throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        bucket(OTHER, "two");
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        store.setHistoryPolicy(ALICE, name(OTHER), HistoryPolicy.EVERY_WRITE);
        SplittableRandom random = new SplittableRandom(seed);
        put(THIEF, OTHER, "bait", "of the thief");
        for (int step = 0; step < STEPS; step++) {
            step(random, step);
        }
        List<String> buckets = new ArrayList<>(List.of(BUCKET, OTHER));
        if (random.nextBoolean()) {
            buckets = buckets.reversed();
        }
        for (String bucket : buckets) {
            undo(bucket);
            if (random.nextBoolean()) {
                move(random);
            }
        }
        for (Map.Entry<String, List<State>> each : states.entrySet()) {
            String[] place = each.getKey().split("/");
            Optional<State> honest =
                    each.getValue().reversed().stream()
                            .filter(state -> !state.isTainted())
                            .findFirst();
            assertThat(found(place[0], place[1]))
                    .as("seed %s, %s of %s", seed, each.getKey(), each.getValue())
                    .isEqualTo(honest.orElseThrow().text());
        }
    }
}
