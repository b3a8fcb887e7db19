package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Transaction;
import io.volute.storage.index.KeyValueIndex;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cube with a cleaner of its own that has no space left. */
class FullCubeTest {
    private static final int SEGMENTS = 32;
    private static final int RESERVE = 8;
    private static final int KEYS_MAX = 10_000;

    /** In a row; each has waited for the cleaner most of a second. */
    private static final int BUSY_MAX = 20;

    private final CubeFixture fixture = new CubeFixture();

    private LogCube open(int segments) throws IOException {
        fixture.flushesInBackground = true;
        fixture.cleaning =
                new CleaningSettings(
                        1, (long) segments * CubeFixture.SEGMENT_BYTES, 0.1, 0.4, 2, 0.9, RESERVE);
        return fixture.open();
    }

    /** Returns whether the commit was accepted; one that is put off is tried again. */
    private static boolean isTaken(Cube cube, Transaction transaction) {
        for (int busy = 0; busy < BUSY_MAX; busy++) {
            Reason reason;
            try {
                cube.commit(transaction).join();
                return true;
            } catch (CompletionException e) {
                reason = ((CubeUnavailableException) e.getCause()).reason();
            }
            if (reason == Reason.FULL) {
                return false;
            }
            assertThat(reason).isEqualTo(Reason.BUSY);
        }
        throw new AssertionError("put off for ever: " + cube.space());
    }

    private static Transaction put(int key) {
        return new Transaction()
                .put(NAMES, utf8("key" + key), new byte[0], new byte[1900], List.of());
    }

    private static int fill(Cube cube) {
        for (int i = 0; i < KEYS_MAX; i++) {
            if (!isTaken(cube, put(i))) {
                return i;
            }
        }
        throw new AssertionError("never full: " + cube.space());
    }

    /**
     * Somebody else has taken what was kept for deletes, and where nothing was deleted the cleaner
     * wins nothing: who must not touch its reserve could wait for it for ever.
     */
    @Test
    void deletesAreTakenWhenOnlyTheReserveOfTheCleanerIsLeft() throws IOException {
        int count;
        try (LogCube cube = open(SEGMENTS)) {
            count = fill(cube);
        }
        try (LogCube cube = open(SEGMENTS - RESERVE)) {
            assertThat(isTaken(cube, put(count))).isFalse();
            for (int i = 0; i < count; i += 2) {
                assertThat(isTaken(cube, delete("key" + i))).as("delete %d", i).isTrue();
            }
            assertThat(isTaken(cube, put(count))).isTrue();
            assertThat(cube.check(1L << 40, progress -> true).problems()).isEmpty();
        }
    }

    private static String refusal(Cube cube, int key) {
        assertThat(isTaken(cube, put(key))).isFalse();
        try {
            cube.commit(put(key)).join();
            throw new AssertionError("taken: " + cube.space());
        } catch (CompletionException e) {
            return e.getCause().getMessage();
        }
    }

    @Test
    void aStoreThatIsFullByItsSettingNamesTheSettingAndTheFreeBytesOfTheDisk() throws IOException {
        long free = 1000L * CubeFixture.SEGMENT_BYTES;
        try (LogCube cube = open(SEGMENTS)) {
            int count = fill(cube);
            fixture.files.limitFree(free);
            assertThat(cube.space().totals().clientFree()).isZero();
            assertThat(refusal(cube, count))
                    .contains("log.capacity = " + (long) SEGMENTS * CubeFixture.SEGMENT_BYTES)
                    .contains(free + " bytes free")
                    .contains("Raise log.capacity", "delete", "volute clean --now")
                    .doesNotContain("disk full");
        }
    }

    @Test
    void aFullDiskIsNotBlamedOnTheSetting() throws IOException {
        try (LogCube cube = open(SEGMENTS)) {
            int count = fill(cube);
            fixture.files.limitFree(0);
            assertThat(refusal(cube, count))
                    .contains("disk full", "Free space")
                    .doesNotContain("log.capacity");
        }
    }

    @Test
    @Tag("slow")
    void asLongAsSomebodyLetsSomethingGoTheStoreIsBusyNotFull() throws IOException {
        try (LogCube cube = open(SEGMENTS)) {
            int count = fill(cube);
            List<Boolean> asked = new CopyOnWriteArrayList<>();
            cube.whenShort(
                    isCleaningHelping -> {
                        asked.add(isCleaningHelping);
                        return true;
                    });
            assertThatThrownBy(() -> cube.commit(put(count)).join())
                    .hasRootCauseInstanceOf(CubeUnavailableException.class)
                    .rootCause()
                    .extracting("reason")
                    .isEqualTo(Reason.BUSY);
            assertThat(asked).contains(false);
            assertThat(isTaken(cube, delete("key0"))).as("does not wait for that").isTrue();
            cube.whenShort(isCleaningHelping -> false);
            assertThat(isTaken(cube, put(count))).isFalse();
        }
    }

    @Test
    void aWriteWaitsForWhatIsLetGo() throws Exception {
        try (LogCube cube = open(SEGMENTS)) {
            int count = fill(cube);
            CountDownLatch isShort = new CountDownLatch(1);
            cube.whenShort(
                    isCleaningHelping -> {
                        isShort.countDown();
                        return true;
                    });
            try (ExecutorService other = Executors.newSingleThreadExecutor()) {
                Future<?> letGo =
                        other.submit(
                                () -> {
                                    isShort.await();
                                    for (int i = 0; i < count; i += 2) {
                                        assertThat(isTaken(cube, delete("key" + i))).isTrue();
                                    }
                                    return true;
                                });
                assertThat(isTaken(cube, put(count))).isTrue();
                letGo.get();
            }
        }
    }

    /** A full cube must be able to flush its index, or it takes no writes any more. */
    @Test
    void clientsLeaveTheIndexWhatItNeeds() throws IOException {
        CountingIndexes indexes = new CountingIndexes();
        fixture.indexWrapper = indexes::over;
        fixture.files.limitFree(20 * CubeFixture.SEGMENT_BYTES);
        try (LogCube cube = fixture.open()) {
            SpaceReport.Totals before = cube.space().totals();
            indexes.room =
                    new KeyValueIndex.Room(
                            2 * CubeFixture.SEGMENT_BYTES, 3 * CubeFixture.SEGMENT_BYTES);
            SpaceReport.Totals after = cube.space().totals();
            assertThat(before.clientFree() - after.clientFree())
                    .as("to flush twice, and to merge")
                    .isEqualTo(7 * CubeFixture.SEGMENT_BYTES);
            assertThat(before.free() - after.free())
                    .as("who frees segments leaves a flush")
                    .isEqualTo(2 * CubeFixture.SEGMENT_BYTES);
        }
    }
}
