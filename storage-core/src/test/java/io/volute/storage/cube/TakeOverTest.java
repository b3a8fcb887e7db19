package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.PendingBlob;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Machines that have the same cube on ledgers, one after the other. */
class TakeOverTest {
    private final CubeFixture fixture = CubeFixture.onLedgers(1);

    private record Machine(SimFileSystem files, MemoryIndexFactory indexes) {
        Machine() {
            this(new SimFileSystem(), new MemoryIndexFactory());
        }
    }

    private LogCube open(Machine machine) throws IOException {
        fixture.files = machine.files();
        fixture.indexes = machine.indexes();
        return fixture.open();
    }

    private static void fill(Cube cube, String prefix) throws IOException {
        for (int i = 0; i < 12; i++) {
            PendingBlob blob = CubeFixture.blob(cube, new byte[300 + i]);
            cube.commit(put(prefix + i, "value " + i, blob.id()).add(blob)).join();
        }
    }

    /** An index from before would miss the entries that were only moved since. */
    @Test
    void aMachineThatComesBackFindsWhatAnotherOneHasMoved() throws IOException {
        Machine first = new Machine();
        try (LogCube cube = open(first)) {
            fill(cube, "a");
        }
        Map<String, String> expected;
        try (LogCube cube = open(new Machine())) {
            fill(cube, "b");
            long moved = head(cube);
            roll(cube);
            fill(cube, "c");
            cube.cleaner().cleanThese(Set.of(moved), CleaningPass.Pace.NONE);
            expected = CubeFixture.dump(cube);
        }
        try (LogCube cube = open(first)) {
            assertThat(CubeFixture.dump(cube)).isEqualTo(expected);
            assertThat(cube.report().indexRebuilt()).isTrue();
        }
        try (LogCube cube = open(first)) {
            assertThat(cube.report().indexRebuilt()).isFalse();
        }
    }
}
