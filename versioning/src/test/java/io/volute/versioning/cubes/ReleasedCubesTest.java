package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Cubes that a store with all cubes gives away and takes back. */
class ReleasedCubesTest extends CubesFixture {
    private List<String> names() {
        return store.listBuckets(Optional.empty(), "", "", 100).stream()
                .map(bucket -> bucket.name().value())
                .toList();
    }

    private static void assertElsewhere(ThrowingCallable call) {
        CubeUnavailableException refused =
                catchThrowableOfType(CubeUnavailableException.class, call);
        assertThat(refused.reason()).isEqualTo(Reason.NOT_OPEN);
        assertThat(refused).hasMessage("cube one is on another node of the cluster");
        assertThat(refused.cube()).contains("one");
    }

    @Test
    void aReleasedCubeIsElsewhereUntilItIsTaken() throws Exception {
        cubes.create("one");
        bucket("away", "one");
        bucket("here", StoreCubes.SYSTEM);
        store.setVersioning(ALICE, name("away"), VersioningState.ENABLED);
        put(ALICE, "away", "k", "first");
        long versions = put(ALICE, "away", "k", "second").number();
        put(ALICE, "here", "k", "served");
        cubes.release("one");
        assertThat(info("one").phase()).isEqualTo(Phase.ELSEWHERE);
        assertThat(info("one").buckets()).isEqualTo(1);
        assertThat(cubes.opened()).extracting(Opened::name).containsExactly(StoreCubes.SYSTEM);
        assertElsewhere(() -> get(ALICE, "away", "k"));
        assertElsewhere(() -> put(ALICE, "away", "k", "lost"));
        assertThat(get(ALICE, "here", "k")).isEqualTo("served");
        assertThat(cubes.cubeOf(name("away"))).contains("one");
        assertThat(names()).containsExactly("away", "here");
        StoreException taken =
                catchThrowableOfType(StoreException.class, () -> bucket("away", StoreCubes.SYSTEM));
        assertThat(taken.reason()).isEqualTo(StoreException.Reason.BUCKET_OWNED_BY_CALLER);
        cubes.take("one");
        assertThat(info("one").phase()).isEqualTo(Phase.OPEN);
        assertThat(get(ALICE, "away", "k")).isEqualTo("second");
        assertThat(
                        store.head(ALICE, name("away"), key("k"), VersionSelector.LATEST)
                                .orElseThrow()
                                .number())
                .isEqualTo(versions);
        BucketInfo bucket = store.bucket(name("away")).orElseThrow();
        assertThat(bucket.versioning()).isEqualTo(VersioningState.ENABLED);
        assertThat(bucket.history()).isNotEqualTo(HistoryPolicy.NONE);
    }

    @Test
    void releaseAndTakeAreIdempotent() throws Exception {
        cubes.create("one");
        List<String> followed = new ArrayList<>();
        cubes.follow(
                new StoreCubes.Follower() {
                    @Override
                    public void opened(Opened cube) {
                        followed.add("opened " + cube.name());
                    }

                    @Override
                    public void closing(Opened cube) {
                        assertThat(cube.store().bucket(name("none"))).isEmpty();
                        followed.add("closing " + cube.name());
                    }
                });
        cubes.take("one");
        cubes.release("one");
        cubes.release("one");
        cubes.take("one");
        cubes.take("one");
        assertThat(followed)
                .containsExactly("opened default", "opened one", "closing one", "opened one");
        elsewhere.add("one");
        cubes.release(StoreCubes.SYSTEM);
        cubes.release(StoreCubes.SYSTEM);
        cubes.take(StoreCubes.SYSTEM);
        cubes.take(StoreCubes.SYSTEM);
        assertThat(followed.subList(4, followed.size()))
                .as("a cube with an owner of its own stays open")
                .containsExactly("closing default", "opened default");
        assertThatThrownBy(() -> cubes.take("none")).hasMessageContaining("no cube none");
        assertThatThrownBy(() -> cubes.release("none")).hasMessageContaining("no cube none");
    }

    @Test
    void aCubeThatCannotBeTakenStaysElsewhere() throws Exception {
        cubes.create("one");
        bucket("away", "one");
        put(ALICE, "away", "k", "kept");
        cubes.release("one");
        failures.put("one", new IOException("the disk is gone"));
        assertThatThrownBy(() -> cubes.take("one")).hasMessage("the disk is gone");
        assertThat(info("one").phase()).isEqualTo(Phase.ELSEWHERE);
        failures.clear();
        cubes.take("one");
        assertThat(get(ALICE, "away", "k")).isEqualTo("kept");
    }

    /** The placements cannot be compared while the system cube takes no writes. */
    @Test
    void aCubeWhoseBucketsCannotBeComparedIsClosedAgain() throws Exception {
        cubes.create("one");
        bucket("lost", "one");
        cubes.release("one");
        // As when the owner of the cube deleted the bucket, and this server ended before the rest.
        try (Cube one = files.open("one")) {
            Catalog catalog =
                    new Catalog(
                            options(StoreOptions.defaults(one, clock, new SplittableRandom(5))),
                            new Membership(1, new Federation()));
            catalog.deleteBucket(ALICE, name("lost"));
            catalog.close();
        }
        faulty.add(StoreCubes.SYSTEM);
        assertThatThrownBy(() -> cubes.take("one")).isInstanceOf(IOException.class);
        assertThat(info("one").phase()).isEqualTo(Phase.ELSEWHERE);
        faulty.clear();
        restart();
        assertThat(info("one").phase()).isEqualTo(Phase.OPEN);
        assertThat(names()).isEmpty();
    }

    @Test
    void changesOfCubesAndMovesNeedTheCubeHere() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket("away", "one");
        bucket("here", "two");
        cubes.release("one");
        for (ThrowingCallable each :
                List.<ThrowingCallable>of(
                        () -> cubes.delete("one"),
                        () -> cubes.reopen("one", false),
                        () -> cubes.moves().start(name("away"), "two"),
                        () -> cubes.moves().start(name("here"), "one"),
                        () -> cubes.moves().split(name("here"), key("m"), "one"))) {
            assertThatThrownBy(each)
                    .isInstanceOf(StoreException.class)
                    .hasMessage(
                            "cube one is on another node of the cluster: bring it to this node"
                                    + " first");
        }
        assertThat(cubes.moves().list()).isEmpty();
        cubes.take("one");
        put(ALICE, "away", "k", "text");
        assertThat(get(ALICE, "away", "k")).isEqualTo("text");
    }

    @Test
    void releaseWaitsForACubeThatIsBeingOpened() throws Exception {
        cubes.create("one");
        gates.put("one", new CountDownLatch(1));
        cubes.reopen("one", false);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> released =
                    threads.submit(
                            () -> {
                                cubes.release("one");
                                return null;
                            });
            assertThat(info("one").phase()).isEqualTo(Phase.OPENING);
            assertThat(released.isDone()).isFalse();
            gates.get("one").countDown();
            assertThat(released.get()).isNull();
        }
        assertThat(info("one").phase()).isEqualTo(Phase.ELSEWHERE);
    }

    @Test
    void aCubeThatIsElsewhereAtTheStartIsNotOpened() throws Exception {
        cubes.create("one");
        bucket("away", "one");
        elsewhere.add("one");
        elsewhere.add("placed");
        restart();
        assertThat(info("one").phase()).isEqualTo(Phase.ELSEWHERE);
        assertThat(names()).containsExactly("away");
        assertThatThrownBy(() -> cubes.create("placed"))
                .hasMessageContaining("another node")
                .hasMessageContaining("choose another name");
        assertThat(disk.exists(cube("placed"))).isFalse();
        cubes.take("one");
        put(ALICE, "away", "k", "text");
        assertThat(get(ALICE, "away", "k")).isEqualTo("text");
    }

    /** A request about a restore must find the node that has the cube. */
    @Test
    void theCubeOfARestoreIsKnownWhereverItIs() throws Exception {
        cubes.create("one");
        bucket("away", "one");
        store.setHistoryPolicy(ALICE, name("away"), HistoryPolicy.EVERY_WRITE);
        put(ALICE, "away", "k", "first");
        Goal before = new Goal.ToInstant(clock.instant());
        put(ALICE, "away", "k", "second");
        String id =
                store.restore()
                        .start(ALICE, new Request(name("away"), "", before, OnConflict.SKIP))
                        .id();
        while (store.restore().run(id).phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
        }
        cubes.release("one");
        assertThat(store.restore().cubeOf(id)).contains("one");
        assertThat(store.restore().cubeOf(id + "-" + id)).contains("one");
        assertThat(store.restore().cubeOf("1")).contains(StoreCubes.SYSTEM);
        for (String none : List.of("", "-", "away", String.valueOf(Long.MAX_VALUE))) {
            assertThat(store.restore().cubeOf(none)).as(none).isEmpty();
        }
    }
}
