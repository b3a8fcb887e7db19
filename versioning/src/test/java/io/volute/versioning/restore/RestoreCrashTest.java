package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restore that is cut off at some commit goes on exactly there. */
@Tag("slow")
class RestoreCrashTest extends PastFixture {
    private static final int KEYS = 1000;

    /** Commits of restores that still pass. */
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

    private final CountDownLatch isCut = new CountDownLatch(1);

    @Override
    public Cube openCube() {
        return refusing(
                transaction -> {
                    if (!isOfRestore(transaction) || left.getAndDecrement() > 0) {
                        return Optional.empty();
                    }
                    isCut.countDown();
                    return Optional.of(
                            new CubeUnavailableException(
                                    CubeUnavailableException.Reason.CLOSED, "cut off"));
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void goesOnExactlyWhereItWas(int commits) throws IOException, InterruptedException {
        goesOn(commits, KEYS + 1, Goal.ToInstant::new);
    }

    /** The resumed restore searches the events again, which now include its own writes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void anUndoGoesOn(int commits) throws IOException, InterruptedException {
        goesOn(
                commits,
                KEYS,
                since ->
                        Restore.Goal.undo(
                                new Restore.Source.Name("thief", Optional.empty()), since));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void whatIsDerivedIsFoundAgain(int commits) throws IOException, InterruptedException {
        Goal goal =
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                BUCKET, new ObjectKey("evil"), Optional.empty(), Optional.empty()),
                        Instant.EPOCH);
        goesOn(commits, KEYS + 1, since -> goal);
    }

    /**
     * @param keys that are concerned
     */
    private void goesOn(int commits, int keys, Function<Instant, Goal> goal)
            throws IOException, InterruptedException {
        for (int i = 0; i < KEYS; i++) {
            put(ALICE, "k" + i, "good");
        }
        Instant good = tick();
        put(ALICE, "evil", "evil");
        assertThat(read(THIEF, "evil")).isEqualTo("evil");
        for (int i = 0; i < KEYS; i++) {
            put(THIEF, "k" + i, "bad");
        }
        tick();
        left.set(commits);
        Run begun =
                store.restore()
                        .start(ALICE, new Request(BUCKET, "", goal.apply(good), OnConflict.SKIP));
        isCut.await();
        left.set(Integer.MAX_VALUE);
        store.close();
        store = openStore();
        Run run = ended(begun.id());
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        assertThat(run.looked()).isEqualTo(keys);
        assertThat(run.restored()).as("none twice, none left out").isEqualTo(keys);
        Map<String, String> contents = contents(store);
        contents.remove("evil");
        assertThat(contents.values()).hasSize(KEYS).containsOnly("good");
        assertThat(store.history().kept(BUCKET).states()).isEqualTo(KEYS + keys);
    }
}
