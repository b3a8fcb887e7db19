package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Step;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that read versions by their ids, in any order, also after newer ones were dropped: a
 * trace names the versions that were read, and no others.
 */
class VersionReadsTest extends PastFixture {
    private static final ObjectKey SOURCE = new ObjectKey("source");
    private static final int STEPS = 60;
    private static final int SEEDS = 8;

    /** Numbers of the versions that each client has read. */
    private final Map<String, Set<Long>> read = new HashMap<>();

    /** Numbers of the versions that the object of each key was derived from. */
    private final Map<String, Set<Long>> derived = new HashMap<>();

    /** False under policies by which an actor keeps its version when it reads. */
    private boolean isExact = true;

    private static Caller client(int number) {
        return new Caller("alice", "key-a", "client" + number);
    }

    private ObjectVersion version() throws IOException {
        tick();
        return put(ALICE, SOURCE.value(), "version " + read.size() + clock.get());
    }

    private void read(int client, VersionSelector selector, long number) throws IOException {
        tick();
        try (BlobReader reader = store.open(client(client), BUCKET, SOURCE, selector).reader()) {
            assertThat(StoreFixture.content(reader)).startsWith("version ");
        }
        read.computeIfAbsent("client" + client, name -> new HashSet<>()).add(number);
    }

    private void derive(int client, String key) throws IOException {
        tick();
        put(client(client), key, "derived");
        derived.put(key, Set.copyOf(read.getOrDefault("client" + client, Set.of())));
    }

    private void drop(ObjectVersion version) throws IOException {
        tick();
        store.delete(ALICE, BUCKET, SOURCE, StoreFixture.number(version), WriteCondition.NONE);
    }

    private Set<String> reached(Direction direction, String key, Optional<VersionSelector> from)
            throws IOException {
        Set<String> keys = new TreeSet<>();
        for (Step step :
                store.history()
                        .trace(direction, BUCKET, new ObjectKey(key), from, Optional.empty(), 1000)
                        .entries()) {
            if (step.node() instanceof Node.OfObject object) {
                keys.add(object.place().key().value());
            }
        }
        return keys;
    }

    private void isTraced(List<ObjectVersion> present, String what) throws IOException {
        for (ObjectVersion version : present) {
            Set<String> wanted = new TreeSet<>();
            derived.forEach(
                    (key, from) -> {
                        if (from.contains(version.number())) {
                            wanted.add(key);
                        }
                    });
            Set<String> found =
                    reached(
                            Direction.FORWARD,
                            SOURCE.value(),
                            Optional.of(StoreFixture.number(version)));
            found.remove(SOURCE.value());
            String step = what + ", derived from " + version.number();
            if (isExact) {
                assertThat(found).as(step).isEqualTo(wanted);
            } else {
                assertThat(found).as(step).containsAll(wanted);
            }
        }
    }

    @Test
    void anOlderVersionThatIsReadAfterANewerOneIsNamed() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        ObjectVersion first = version();
        ObjectVersion second = version();
        read(1, VersionSelector.LATEST, second.number());
        read(1, StoreFixture.number(first), first.number());
        derive(1, "out");
        isTraced(List.of(first, second), "both");
        assertThat(reached(Direction.BACK, "out", Optional.empty())).contains("source");
    }

    @Test
    void aVersionIsNamedThatIsReadBeforeAndAfterANewerOneIsDropped() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        ObjectVersion first = version();
        read(1, StoreFixture.number(first), first.number());
        ObjectVersion second = version();
        read(2, StoreFixture.number(first), first.number());
        read(2, StoreFixture.number(second), second.number());
        derive(1, "before");
        drop(second);
        read(3, StoreFixture.number(first), first.number());
        read(1, StoreFixture.number(first), first.number());
        for (int client = 1; client <= 3; client++) {
            derive(client, "after" + client);
        }
        isTraced(List.of(first), "dropped");
    }

    @ParameterizedTest
    @EnumSource(value = HistoryPolicy.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void everyReadIsNamedInAnyOrder(HistoryPolicy policy) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            close();
            open();
            read.clear();
            derived.clear();
            policy(policy);
            store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
            isExact =
                    policy == HistoryPolicy.CYCLE_AVOIDANCE || policy == HistoryPolicy.EVERY_WRITE;
            run(new SplittableRandom(seed), policy + ", seed " + seed);
        }
    }

    private void run(SplittableRandom random, String what) throws IOException {
        List<ObjectVersion> present = new ArrayList<>(List.of(version()));
        for (int step = 0; step < STEPS; step++) {
            int client = random.nextInt(3);
            ObjectVersion some = present.get(random.nextInt(present.size()));
            switch (random.nextInt(6)) {
                case 0 -> present.add(version());
                case 1 -> {
                    // One version stays.
                    if (present.size() > 1) {
                        ObjectVersion dropped = random.nextBoolean() ? present.getLast() : some;
                        drop(dropped);
                        present.remove(dropped);
                    }
                }
                case 2 -> read(client, VersionSelector.LATEST, present.getLast().number());
                case 3, 4 -> read(client, StoreFixture.number(some), some.number());
                default -> derive(client, "out" + step);
            }
        }
        try {
            isTraced(present, what);
        } catch (StoreException e) {
            throw new AssertionError(what, e);
        }
    }
}
