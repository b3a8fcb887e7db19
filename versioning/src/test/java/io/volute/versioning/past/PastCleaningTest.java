package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.versioning.DiskCubes;
import io.volute.versioning.PastFixture;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of the past do not change during cleaning, or when the index is rebuilt. */
@Tag("slow")
class PastCleaningTest extends PastFixture {
    private static final int ROUNDS = 24;
    private static final int WRITES = 30;
    private static final int KEYS = 20;
    private static final int NOTE_EVERY = 4;

    @TempDir Path directory;

    private final Map<Instant, Map<String, String>> notes = new LinkedHashMap<>();

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.openSmallest(directory, clock::get);
    }

    private void assertNotes(String when) throws IOException {
        for (Map.Entry<Instant, Map<String, String>> note : notes.entrySet()) {
            assertThat(past(note.getKey()))
                    .as("%s %s", note.getKey(), when)
                    .isEqualTo(note.getValue());
        }
    }

    @Test
    void isTheSameBehindCleaningAndARebuild() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        Random random = new Random(5);
        long freed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < WRITES; i++) {
                String key = "k" + random.nextInt(KEYS);
                if (random.nextInt(8) == 0) {
                    delete(THIEF, key);
                } else {
                    // Some lie in their records, some in the head, some in stream segments.
                    put(ALICE, key, "r" + round + " ".repeat(random.nextInt(980)) + i);
                }
            }
            Instant now = tick();
            if (round % NOTE_EVERY == 0) {
                notes.put(now, contents(store));
            }
            if (round == ROUNDS / 2) {
                // Older states are purged, so that there is something to clean.
                Instant before = notes.keySet().stream().skip(2).findFirst().orElseThrow();
                notes.keySet().removeIf(each -> each.isBefore(before));
                assertThat(store.history().purge(ALICE, BUCKET, before.minus(Duration.ofMillis(1))))
                        .isPositive();
                assertNotes("behind a purge");
            }
            freed += cube.clean(Cube.Cleaning.COMBINED);
        }
        assertThat(freed).as("bytes that cleaning freed").isPositive();
        assertNotes("behind cleaning");
        freed = cube.clean(Cube.Cleaning.COMPACT);
        assertThat(freed).isNotNegative();
        assertNotes("behind compaction");
        store.close();
        cube.close();
        Cubes.rebuildIndex(directory);
        cube = openCube();
        store = openStore();
        assertNotes("behind a rebuild");
    }
}
