package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SpaceKeeperTest {
    private final SpaceKeeper keeper =
            new SpaceKeeper(
                    new SpaceKeeper.Parts(
                            null, null, null, () -> 0, () -> 0, null, 0, CubeFixture.SEGMENT_BYTES),
                    null);

    private int pieceAfterCommitsOf(long bytes) {
        for (int i = 0; i < 200; i++) {
            keeper.committed(bytes);
        }
        return keeper.pace().entriesEnough();
    }

    @Test
    void aPieceIsAsLargeAsCommitsAre() {
        assertThat(pieceAfterCommitsOf(1_000)).isEqualTo(64);
        assertThat(pieceAfterCommitsOf(8_000)).isBetween(240, 260);
        assertThat(pieceAfterCommitsOf(1 << 20)).isEqualTo(512);
        assertThat(pieceAfterCommitsOf(1_000)).isEqualTo(64);
    }

    @Test
    void entriesThatAreSmallMakeATwiceAsLongPiece() {
        pieceAfterCommitsOf(1_000);
        CleaningPass.Pace pace = keeper.pace();
        assertThat(pace.isEnough(63, 1 << 20)).isFalse();
        assertThat(pace.isEnough(64, 16 << 10)).isTrue();
        assertThat(pace.isEnough(127, 1000)).isFalse();
        assertThat(pace.isEnough(128, 1000)).isTrue();
    }
}
