package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes.Phase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults in one of several cubes while clients write to all: the others serve without an error.
 * {@code -Dvolute.cubeFaults=200 -Dvolute.cubes=20} is the long form.
 */
class CubeFaultsTest extends CubesFixture {
    private static final int FAULTS = Integer.getInteger("volute.cubeFaults", 5);
    private static final int CUBES = Integer.getInteger("volute.cubes", 4);

    @Test
    @Tag("slow")
    void faultsOfOneCubeAreNoErrorsOfOthers() throws Exception {
        for (int i = 0; i < CUBES; i++) {
            cubes.create("cube-" + i);
            bucket("bucket-" + i, "cube-" + i);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong written = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(CUBES - 1);
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 1; i < CUBES; i++) {
                String bucket = "bucket-" + i;
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; !isOver.get(); n++) {
                                        put(ALICE, bucket, "k" + n % 50, "content " + n);
                                        assertThat(get(BOB, bucket, "k" + n % 50))
                                                .isEqualTo("content " + n);
                                        written.incrementAndGet();
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
        assertThat(written.get()).isPositive();
    }

    private void breakAndRepair(int fault, AtomicLong written) throws Exception {
        put(ALICE, "bucket-0", "kept-" + fault, "before the fault");
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
        // The others go on: at least one write each, all of which must succeed.
        long before = written.get();
        while (written.get() < before + CUBES) {
            Thread.onSpinWait();
        }
        faulty.remove("cube-0");
        cubes.reopen("cube-0", fault % 2 == 1);
        assertThat(awaitOpened("cube-0").phase()).isEqualTo(Phase.OPEN);
        assertThat(get(ALICE, "bucket-0", "kept-" + fault)).isEqualTo("before the fault");
        put(ALICE, "bucket-0", "again", "after the repair");
    }
}
