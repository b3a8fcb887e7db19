package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random timelines with a stolen key, whose derived states stay: what is undone is as in a world
 * without the thief, where each key holds what the last of the others gave it. The model is that
 * world.
 */
@Tag("slow")
class UndoModelTest extends PastFixture {
    private static final int SEEDS = 20;
    private static final int STEPS = 120;
    private static final int KEYS = 12;

    private static final List<Caller> OTHERS =
            List.of(
                    new Caller("alice", "key-a", "laptop"),
                    new Caller("alice", "key-a", "phone"),
                    new Caller("job", "key-j", "nightly"));

    /** Two programs with the stolen key. */
    private static final List<Caller> THIEVES =
            List.of(
                    new Caller("backup", "key-stolen", "192.0.2.66 curl"),
                    new Caller("backup", "key-stolen", "192.0.2.67 rclone"));

    private final Map<String, String> world = new TreeMap<>();

    private static Caller one(Random random, List<Caller> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void act(Random random, int step, boolean isThief) throws IOException {
        Caller who = one(random, isThief ? THIEVES : OTHERS);
        String key = "k" + random.nextInt(KEYS);
        switch (random.nextInt(4)) {
            case 0 -> {
                // Who deletes what is not there does nothing, and nobody can know of it.
                if (contents(store).containsKey(key)) {
                    delete(who, key);
                    if (!isThief) {
                        world.remove(key);
                    }
                }
            }
            case 1 -> {
                if (contents(store).containsKey(key)) {
                    assertThat(read(who, key)).isNotEmpty();
                }
            }
            default -> {
                String text = "step " + step + " by " + who.actor().label();
                put(who, key, text);
                if (!isThief) {
                    world.put(key, text);
                }
            }
        }
        if (random.nextInt(3) == 0) {
            tick();
        }
    }

    private Run undo(Instant since) throws IOException {
        Restore restore = store.restore();
        Goal goal =
                new Goal.Undo(
                        List.of(new Restore.Source.AccessKey("key-stolen")),
                        List.of(),
                        since,
                        false);
        Run begun =
                restore.start(
                        new Caller("root", "key-r", "admin"),
                        new Request(BUCKET, "", goal, OnConflict.SKIP));
        Run run = ended(begun.id());
        assertThat(run.phase()).as(run.message()).isEqualTo(Phase.DONE);
        return run;
    }

    @ParameterizedTest
    @CsvSource({
        "CYCLE_AVOIDANCE, UNVERSIONED",
        "CYCLE_AVOIDANCE, ENABLED",
        "EVERY_WRITE, UNVERSIONED",
        "EVERY_WRITE, ENABLED"
    })
    void undoneIsAsIfTheyHadNeverBeen(HistoryPolicy policy, VersioningState versioning)
            throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            timeline(policy, versioning, seed);
        }
    }

    private void timeline(HistoryPolicy policy, VersioningState versioning, int seed)
            throws IOException {
        close();
        open();
        world.clear();
        policy(policy);
        if (versioning != VersioningState.UNVERSIONED) {
            store.setVersioning(ALICE, BUCKET, versioning);
        }
        Random random = new Random(seed);
        for (int step = 0; step < STEPS / 2; step++) {
            act(random, step, false);
        }
        Instant since = tick();
        for (int step = STEPS / 2; step < STEPS; step++) {
            act(random, step, random.nextInt(3) == 0);
        }
        tick();
        undo(since);
        assertThat(contents(store)).as("seed %d", seed).isEqualTo(world);
        tick();
        assertThat(undo(since).restored()).as("again, seed %d", seed).isZero();
    }
}
