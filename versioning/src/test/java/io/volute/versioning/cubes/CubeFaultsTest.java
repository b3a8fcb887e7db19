package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Phase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults in one of several cubes while clients write to all: the others serve without an error.
 * {@code -Dvolute.cubeFaults=200 -Dvolute.cubes=20} is the long form.
 */
class CubeFaultsTest extends CubesFixture {
    private static final int FAULTS = Integer.getInteger("volute.cubeFaults", 5);
    private static final int WRITES = Integer.getInteger("volute.cubeWrites", 10);
    private static final int OBJECTS = Integer.getInteger("volute.cubeObjects", 100);
    private static final int CUBES = Integer.getInteger("volute.cubes", 4);

    /** Times of puts in the sound cubes while no cube has a fault, in nanoseconds. */
    private final Queue<Long> quiet = new ConcurrentLinkedQueue<>();

    /** Times of those that began between a fault and the end of its repair. */
    private final Queue<Long> disturbed = new ConcurrentLinkedQueue<>();

    private volatile boolean isFaulty;

    @Test
    @Tag("slow")
    void faultsOfOneCubeAreNoErrorsOfOthers() throws Exception {
        for (int i = 0; i < CUBES; i++) {
            cubes.create("cube-" + i);
            bucket("bucket-" + i, "cube-" + i);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        Semaphore written = new Semaphore(0);
        CountDownLatch begun = new CountDownLatch(CUBES - 1);
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 1; i < CUBES; i++) {
                String bucket = "bucket-" + i;
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; !isOver.get(); n++) {
                                        long start = System.nanoTime();
                                        boolean isDisturbed = isFaulty;
                                        put(ALICE, bucket, "k" + n % 50, "content " + n);
                                        (isDisturbed ? disturbed : quiet)
                                                .add(System.nanoTime() - start);
                                        assertThat(get(BOB, bucket, "k" + n % 50))
                                                .isEqualTo("content " + n);
                                        written.release();
                                        begun.countDown();
                                    }
                                    return null;
                                }));
            }
            begun.await();
            try {
                for (int fault = 0; fault < FAULTS; fault++) {
                    breakAndRepair(fault, written);
                }
            } finally {
                isOver.set(true);
            }
            for (Future<?> each : writers) {
                // Any error of a sound cube ends its writer.
                assertThat(each.get()).isNull();
            }
        }
        System.out.println(
                FAULTS
                        + " faults in one of "
                        + CUBES
                        + " cubes; puts in the others: undisturbed "
                        + words(quiet)
                        + ", disturbed "
                        + words(disturbed));
    }

    private static String words(Queue<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted.length
                + " with p50 "
                + sorted[sorted.length / 2] / 1000
                + " us, p99 "
                + sorted[sorted.length * 99 / 100] / 1000
                + " us";
    }

    /** Waits for writes to the sound cubes. A thread that spins would take a processor of them. */
    private static void awaitWrites(Semaphore written) throws InterruptedException {
        written.drainPermits();
        assertThat(written.tryAcquire(WRITES * CUBES, 1, TimeUnit.MINUTES)).isTrue();
    }

    /**
     * Rebuilds the index of one cube, then those of all, and prints the times. The figures of
     * benchmarks/results.md are those of the long form.
     */
    @Test
    @Tag("slow")
    void oneIndexIsRebuiltInAFractionOfTheTimeOfAll() throws Exception {
        for (int i = 0; i < CUBES; i++) {
            cubes.create("cube-" + i);
            bucket("bucket-" + i, "cube-" + i);
            for (int n = 0; n < OBJECTS; n++) {
                put(ALICE, "bucket-" + i, "k" + n, "content " + n);
            }
        }
        long one = rebuild(List.of("cube-1"));
        one = Math.min(one, rebuild(List.of("cube-2")));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < CUBES; i++) {
            all.add("cube-" + i);
        }
        long every = rebuild(all);
        System.out.println(
                "index rebuilt: one of "
                        + CUBES
                        + " cubes in "
                        + one / 1_000_000
                        + " ms, all in "
                        + every / 1_000_000
                        + " ms");
        for (String cube : all) {
            assertThat(info(cube).phase()).isEqualTo(Phase.OPEN);
            String bucket = cube.replace("cube", "bucket");
            assertThat(get(ALICE, bucket, "k7")).isEqualTo("content 7");
        }
    }

    /** Returns the time in nanoseconds. */
    private long rebuild(List<String> names) throws Exception {
        long begun = System.nanoTime();
        for (String name : names) {
            cubes.reopen(name, true);
        }
        cubes.awaitOpened(Duration.ofMinutes(5));
        return System.nanoTime() - begun;
    }

    private void breakAndRepair(int fault, Semaphore written) throws Exception {
        put(ALICE, "bucket-0", "kept-" + fault, "before the fault");
        awaitWrites(written);
        isFaulty = true;
        faulty.add("cube-0");
        Throwable refused = null;
        while (refused == null) {
            refused = catchThrowable(() -> put(ALICE, "bucket-0", "lost", "never"));
        }
        assertThat(refused).isInstanceOf(IOException.class);
        CubeUnavailableException named =
                (CubeUnavailableException)
                        catchThrowable(() -> put(ALICE, "bucket-0", "lost", "never"));
        assertThat(named.reason()).isEqualTo(CubeUnavailableException.Reason.READ_ONLY);
        assertThat(named.cube()).contains("cube-0");
        // The others go on: all their writes must succeed.
        awaitWrites(written);
        faulty.remove("cube-0");
        cubes.reopen("cube-0", fault % 2 == 1);
        StoreCubes.CubeInfo repaired = awaitOpened("cube-0");
        assertThat(repaired.phase()).as(repaired.why()).isEqualTo(Phase.OPEN);
        isFaulty = false;
        assertThat(get(ALICE, "bucket-0", "kept-" + fault)).isEqualTo("before the fault");
        put(ALICE, "bucket-0", "again", "after the repair");
    }
}
