package io.volute.storage.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.storage.Place;
import io.volute.storage.health.BrokenInvariant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Index rows of any bytes: what can be read is written so that it reads the same again, all else is
 * a {@link BrokenInvariant}; memory is bounded by the row.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl storage-core test -Dtest=RowReaderFuzz#recordRows} searches on.
 */
class RowReaderFuzz {
    static Stream<byte[]> seeds() {
        Place place = new Place(3, 4096, 100);
        byte[] negative = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        return Stream.of(
                new byte[0],
                negative,
                // Places in segment 0, and of no bytes: found by searching.
                new byte[] {1, 0, 0, 1, 0, 0},
                new byte[] {1, 126, 0, 0, 0, 0},
                new byte[] {0, 1, 126, 0, 0, 0},
                new RecordRow(9, place, 4, List.of(1L, 300L), new byte[] {1, 2, 3}).encode(),
                new BlobRow(1, place, 100, new BlobRow.Inline()).encode(),
                new BlobRow(
                                2,
                                place,
                                1L << 40,
                                new BlobRow.Stream(1 << 20, List.of(new Place(5, 0, 1 << 20))))
                        .encode(),
                new BlobRow(3, place, 100, new BlobRow.Composed(List.of(7L, 8L))).encode());
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void recordRows(byte[] data) {
        readsTheSameAgain(data, RecordRow::decode, RecordRow::encode);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void blobRows(byte[] data) {
        readsTheSameAgain(data, BlobRow::decode, BlobRow::encode);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void states(byte[] data) {
        readsTheSameAgain(data, IndexState::decode, IndexState::encode);
    }

    private static <T> void readsTheSameAgain(
            byte[] data, Function<byte[], T> decode, Function<T, byte[]> encode) {
        T row;
        try {
            row = decode.apply(data);
        } catch (BrokenInvariant e) {
            assertThat(e).hasMessageMatching(".+");
            return;
        }
        byte[] once = encode.apply(row);
        assertThat(encode.apply(decode.apply(once))).isEqualTo(once);
    }
}
