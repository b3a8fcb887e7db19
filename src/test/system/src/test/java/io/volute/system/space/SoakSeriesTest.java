package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.space.SoakSeries.Flat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A soak must see a leak, and no leak where there is none. */
class SoakSeriesTest {
    @TempDir private Path directory;

    private SoakSeries series(int samples, double first, double step) throws IOException {
        SoakSeries series = new SoakSeries(directory.resolve("soak.csv"));
        for (int i = 0; i < samples; i++) {
            double noise = i % 3;
            series.add(Map.of("heap", first + i * step + noise));
        }
        return series;
    }

    @Test
    void aLeakIsSeen() throws IOException {
        assertThat(series(40, 100, 2).growth(List.of(new Flat("heap", 1.2, 5))))
                .singleElement()
                .asString()
                .startsWith("heap: ");
    }

    @Test
    void noiseIsNoLeak() throws IOException {
        assertThat(series(40, 100, 0).growth(List.of(new Flat("heap", 1.01, 1)))).isEmpty();
    }

    @Test
    void theFillingOfCachesIsNoLeak() throws IOException {
        SoakSeries series = new SoakSeries(directory.resolve("soak.csv"));
        for (int i = 0; i < 40; i++) {
            series.add(Map.of("heap", i < 10 ? i * 10.0 : 100.0));
        }
        assertThat(series.growth(List.of(new Flat("heap", 1.0, 0)))).isEmpty();
        assertThat(series.summary("heap")).isEqualTo("heap 45.00 100.00 100.00 100.00");
    }

    @Test
    void tooFewSamplesAreNoProof() throws IOException {
        assertThat(series(7, 1, 0).growth(List.of())).hasSize(1);
    }

    @Test
    void theFileHasALineASample() throws IOException {
        assertThat(series(3, 1, 1).size()).isEqualTo(3);
        assertThat(Files.readAllLines(directory.resolve("soak.csv")))
                .containsExactly("heap", "1.000", "3.000", "5.000");
    }
}
