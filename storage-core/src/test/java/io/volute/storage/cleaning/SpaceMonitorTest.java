package io.volute.storage.cleaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.cube.CubeFixture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SpaceMonitorTest {
    private final AtomicLong free = new AtomicLong(Long.MAX_VALUE / 2);
    private final SpaceMonitor monitor =
            new SpaceMonitor(free::get, () -> 0, CubeFixture.SEGMENT_BYTES, false);

    private int pieceAfterCommitsOf(long bytes) {
        monitor.wake();
        for (int i = 0; i < 200; i++) {
            monitor.committed(bytes);
        }
        return new CleaningPace(monitor).entriesEnough();
    }

    @Test
    void aPieceIsAsLargeAsCommitsAre() {
        assertThat(pieceAfterCommitsOf(1_000)).isEqualTo(64);
        assertThat(pieceAfterCommitsOf(8_000)).isBetween(490, 510);
        assertThat(pieceAfterCommitsOf(1 << 20)).isEqualTo(1024);
        assertThat(pieceAfterCommitsOf(1_000)).isEqualTo(64);
    }

    @Test
    void aPieceIsLongerWhenClientsAreAboutToWait() {
        free.set(0);
        assertThat(pieceAfterCommitsOf(1_000)).isBetween(240, 260);
        assertThat(pieceAfterCommitsOf(3_200)).isBetween(780, 810);
        assertThat(pieceAfterCommitsOf(1 << 20)).isEqualTo(1024);
    }

    @Test
    void entriesThatAreSmallMakeATwiceAsLongPiece() {
        pieceAfterCommitsOf(1_000);
        CleaningPass.Pace pace = new CleaningPace(monitor);
        assertThat(pace.isEnough(63, 1 << 20)).isFalse();
        assertThat(pace.isEnough(64, 16 << 10)).isTrue();
        assertThat(pace.isEnough(127, 1000)).isFalse();
        assertThat(pace.isEnough(128, 1000)).isTrue();
    }
}
