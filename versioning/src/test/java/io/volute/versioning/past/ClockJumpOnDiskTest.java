package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.versioning.ClockState;
import io.volute.versioning.DiskCubes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same on a real cube, and over rebuilds of its index. */
@Tag("slow")
class ClockJumpOnDiskTest extends ClockJumpTest {
    @TempDir Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory.resolve("cube"), clock::get);
    }

    @Test
    void aRebuildOfTheIndexKeepsWhatIsNotKnown() throws IOException {
        assertThat(put(ALICE, "a", "before")).isNotNull();
        clock.set(START.plus(Duration.ofDays(1)));
        assertThat(put(ALICE, "a", "a day ahead")).isNotNull();
        clock.set(START.plusSeconds(60));
        assertThat(put(ALICE, "a", "after")).isNotNull();
        for (int i = 0; i < 2; i++) {
            Instant unknown = clock.get().minusSeconds(1);
            ClockState known = store.clock();
            assertThat(known.unknown()).hasSize(1);
            store.close();
            cube.close();
            Cubes.rebuildIndex(directory.resolve("cube"));
            cube = openCube();
            store = openStore();
            assertThat(store.clock().unknown()).isEqualTo(known.unknown());
            assertThatThrownBy(() -> past(unknown)).hasMessageContaining("went back");
            clock.set(START.plus(Duration.ofDays(2)));
        }
    }
}
