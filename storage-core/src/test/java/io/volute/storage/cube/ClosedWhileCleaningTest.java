package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cube is closed wherever its cleaner is just then; the accounting stays what a scan finds. */
@Tag("slow")
class ClosedWhileCleaningTest {
    private static final int SEGMENTS = 40;
    private static final int PASSES = 6;
    private static final int TOGETHER = 50;
    private static final int WRITES_MAX = 1_000_000;
    private static final String VALUE = "v".repeat(60);

    /** 80% of the capacity: a record of these takes some 140 bytes. */
    private static final int KEYS = SEGMENTS * CubeFixture.SEGMENT_BYTES / 100 * 80 / 140;

    private final CubeFixture fixture = new CubeFixture();

    private void put(LogCube cube, int key, List<CompletableFuture<Long>> commits) {
        commits.add(cube.commit(CubeFixture.put("key" + key, VALUE)));
        if (commits.size() == TOGETHER) {
            commits.forEach(ClosedWhileCleaningTest::joinOrFull);
            commits.clear();
        }
    }

    /** A write that the cleaner has made no room for yet is one less. */
    private static void joinOrFull(CompletableFuture<Long> commit) {
        try {
            commit.join();
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(CubeUnavailableException.class);
        }
    }

    private void overwriteWhileCleaning(Random random) throws IOException {
        List<CompletableFuture<Long>> commits = new ArrayList<>();
        try (LogCube cube = fixture.open()) {
            for (int key = 0; key < KEYS; key++) {
                put(cube, key, commits);
            }
            for (int i = 0; cube.cleaner().totals().passes() < PASSES; i++) {
                assertThat(i).as("writes, and little is cleaned").isLessThan(WRITES_MAX);
                put(cube, random.nextInt(KEYS), commits);
            }
            for (int more = random.nextInt(KEYS); more > 0; more--) {
                put(cube, random.nextInt(KEYS), commits);
            }
        }
    }

    /** All that can be freed now is. */
    private static void free(LogCube cube) throws IOException {
        int before;
        do {
            before = cube.space().segments().size();
            cube.flushIndex();
        } while (cube.space().segments().size() < before);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void accountingIsWhatAScanFinds(long seed) throws IOException {
        fixture.flushesInBackground = true;
        fixture.flushLogBytes = 8L * CubeFixture.SEGMENT_BYTES;
        fixture.cleaning =
                new CleaningSettings(
                        1, (long) SEGMENTS * CubeFixture.SEGMENT_BYTES, 0.1, 0.4, 2.0, 0.9, 4);
        overwriteWhileCleaning(new Random(seed));

        CubeFixture image = fixture.crashImage();
        image.cleaning = CleaningSettings.onlyWhenAsked();
        image.flushesInBackground = false;
        try (LogCube reopened = image.open()) {
            free(reopened);
            assertThat(reopened.report().indexRebuilt()).isFalse();
            CubeFixture unindexed = image.imageWithoutIndex();
            try (LogCube rebuilt = unindexed.open()) {
                free(rebuilt);
                assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(reopened));
            }
        }
    }
}
