package io.volute.storage.health;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeState;
import io.volute.storage.cube.CountingIndexes;
import io.volute.storage.cube.CubeFixture;
import io.volute.storage.cube.HookedLog;
import io.volute.storage.cube.LogCube;
import io.volute.testing.ThreadsMayDie;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CubeHealthTest {
    private final CubeFixture fixture = new CubeFixture();

    private static void assertBecomesReadOnly(LogCube cube) {
        while (cube.state() == CubeState.HEALTHY) {
            Thread.onSpinWait();
        }
        assertThat(cube.state()).isEqualTo(CubeState.READ_ONLY);
    }

    @Test
    void firstReasonStays() {
        CubeHealth health = new CubeHealth();
        health.readOnly("one");
        health.readOnly("two");
        assertThatThrownBy(health::requireWritable)
                .hasMessageContaining("one")
                .hasMessageContaining("restart");
        health.close();
        assertThat(health.state()).isEqualTo(CubeState.CLOSED);
    }

    @Test
    void indexThatCannotBeWrittenMakesTheCubeReadOnlyAndLosesNothing() throws IOException {
        CountingIndexes indexes = new CountingIndexes();
        fixture.indexWrapper = indexes::over;
        try (LogCube cube = fixture.open()) {
            cube.commit(put("a", "1")).join();
            indexes.failsWrites = true;
            assertThatThrownBy(() -> cube.commit(put("b", "1")).join())
                    .hasMessageContaining("read-only");
            assertThat(cube.state()).isEqualTo(CubeState.READ_ONLY);
            assertThat(cube.get(NAMES, utf8("a"))).isPresent();
        }
        indexes.failsWrites = false;
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().cleanStart()).isFalse();
            assertThat(cube.get(NAMES, utf8("b"))).isPresent();
        }
    }

    @Test
    void indexThatCannotBeFlushedMakesTheCubeReadOnly() throws IOException {
        CountingIndexes indexes = new CountingIndexes();
        fixture.indexWrapper = indexes::over;
        fixture.flushesInBackground = true;
        fixture.flushLogBytes = 1;
        try (LogCube cube = fixture.open()) {
            indexes.failsFlushes = true;
            cube.commit(put("a", "1")).join();
            assertBecomesReadOnly(cube);
        }
    }

    /** A store that nobody cleans would fill up in silence. */
    @Test
    @ThreadsMayDie
    void errorThatEndsTheCleanerMakesTheCubeReadOnly() throws IOException {
        fixture.cleaning = CleaningSettings.defaults();
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforeFigures() {
                        throw new AssertionError("an error, not an exception");
                    }
                };
        try (LogCube cube = fixture.open()) {
            assertBecomesReadOnly(cube);
        }
    }
}
