package io.volute.benchmarks.cleaning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.ServerStore;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Properties of a store behind each kind of access. The server is a real process. */
class CleaningStoresTest {
    private static final StoreSettings SETTINGS =
            Variant.TWO_LEVEL.settings(
                    CleaningOptions.parse("--capacity", "16M", "--reserve", "2"));

    /** Keys come in pages of a thousand when a server lists them. */
    private static final int OBJECTS = 1100;

    /** Many, so that they share the forces of the disk. */
    private static final int WRITERS = 32;

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource
    void tellsVersionsApart(CleaningTarget through) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        try (MeasuredStore store = open(through, SETTINGS)) {
            store.put(1, 1, 3000, buffer);
            store.put(1, 2, 3000, buffer);
            store.put(2, 1, 100, buffer);
            store.put(3, 1, 100, buffer);
            store.delete(3);

            assertThat(store.check(1, 2, 3000, buffer)).isEmpty();
            assertThat(store.check(2, 1, 100, buffer)).isEmpty();
            assertThat(store.check(1, 1, 3000, buffer))
                    .hasValue("object 1 is not version 1 of 3000");
            assertThat(store.check(1, 2, 2999, buffer)).isPresent();
            assertThat(store.check(3, 1, 100, buffer)).isPresent();
            assertThat(store.count()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tellsWhereTheBytesAreAndMakesItsIndexAgain(CleaningTarget through) throws Exception {
        Spaces kept;
        try (MeasuredStore store = open(through, SETTINGS)) {
            Overwriting objects =
                    new Overwriting(
                            store, new Overwriting.Load(100, WRITERS, Distribution.UNIFORM, 1));
            WrittenBytes before = store.written();
            objects.grow(OBJECTS);
            objects.overwrite(OBJECTS);

            assertThat(objects.check(store, 50)).isEmpty();
            assertThat(store.written().since(before).of(WriteCause.CLIENT_DATA))
                    .isGreaterThan(2 * OBJECTS * 100);
            assertThat(store.spaces().implausible(16 << 20)).isEmpty();
            assertThat(store.spaces().implausible(1)).hasSize(1);
        }
        // The first start of a store that has history writes once that it needs no other format.
        try (MeasuredStore store = open(through, SETTINGS.notCleaning())) {
            kept = store.spaces();
            assertThat(kept.live()).isGreaterThan(OBJECTS * 100).isLessThan(kept.used());
            assertThat(kept.dead()).isPositive();
        }
        through.discardIndex(directory.resolve("store"));
        try (MeasuredStore store = open(through, SETTINGS.notCleaning())) {
            assertThat(kept.differences(store.spaces())).isEmpty();
            assertThat(store.count()).isEqualTo(OBJECTS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void seriesHasItsPoints(CleaningTarget through) throws Exception {
        Path output = directory.resolve("results");
        CleaningOptions options =
                CleaningOptions.parse(
                        "--through=" + through,
                        "--utilizations=55",
                        "--capacity=8M",
                        "--reserve=2",
                        "--seconds=0.1",
                        "--checked=200",
                        "--directory=" + directory.resolve("stores"),
                        "--output=" + output);
        Results results = new Results(System.out, options);
        new UtilizationSeries(options, Variant.TWO_LEVEL, Distribution.ZIPFIAN, 2000).run(results);

        assertThat(results.complaints()).isZero();
        assertThat(Files.readAllLines(output.resolve("results.jsonl")))
                .singleElement()
                .asString()
                .contains("\"kind\":\"utilization\"", "\"utilization_percent\":55,");
        assertThat(directory.resolve("stores")).isEmptyDirectory();
    }

    @Test
    void refusalsOfTheServerAreThoseOfItsCube() {
        assertThat(ServerStore.refusal(503, "<Error><Code>SlowDown</Code>"))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BUSY));
        assertThat(ServerStore.refusal(507, ""))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.FULL));
        assertThat(ServerStore.refusal(503, "<Error><Code>ServiceUnavailable</Code>"))
                .isNotInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("503");
    }

    @Test
    void serverThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> ServerProcess.start(directory, Map.of("log.capacity", "much")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("log.capacity");
    }

    private MeasuredStore open(CleaningTarget through, StoreSettings settings) throws Exception {
        return through.open(directory.resolve("store"), settings, new Content(1));
    }
}
