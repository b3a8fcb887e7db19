package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentSizeTest {
    private static final long PIECE = 128 << 10;

    @TempDir private Path directory;

    /** A store of a GiB had 190 MiB for clients with segments of 64 MiB. */
    @Test
    void isAtMostA128thOfTheCapacity() {
        assertThat(SegmentSize.of(1L << 30, PIECE)).isEqualTo(8 << 20);
        assertThat(SegmentSize.of((1L << 30) - 1, PIECE)).isEqualTo(4 << 20);
        assertThat(SegmentSize.of(5_000_000_000L, PIECE)).isEqualTo(32 << 20);
        assertThat(SegmentSize.of(1L << 40, PIECE)).isEqualTo(64 << 20);
        assertThat(SegmentSize.of(1, PIECE)).isEqualTo(4 << 20);
    }

    @Test
    void hasRoomForTwoPieces() {
        assertThat(SegmentSize.of(1L << 30, 4 << 20)).isEqualTo(8 << 20);
        assertThat(SegmentSize.of(1L << 30, 10_000_000)).isEqualTo(32 << 20);
        assertThat(SegmentSize.of(1L << 30, 16 << 20)).isEqualTo(32 << 20);
    }

    @Test
    void withoutACapacityItIsThatOfTheFileSystem() throws Exception {
        long bytes = Files.getFileStore(directory).getTotalSpace();
        assertThat(SegmentSize.fitting(0, PIECE, directory.resolve("not/yet/there")))
                .isEqualTo(SegmentSize.of(bytes, PIECE));
        assertThat(SegmentSize.fitting(1L << 30, PIECE, directory)).isEqualTo(8 << 20);
    }
}
