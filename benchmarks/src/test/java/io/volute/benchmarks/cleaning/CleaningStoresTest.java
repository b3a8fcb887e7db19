package io.volute.benchmarks.cleaning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.UtilizationSeries.Point;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.ServerStore;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.StorePlace;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Properties of a store behind each kind of access. The server is a real process. */
class CleaningStoresTest {
    private static final StoreSettings SETTINGS =
            new StoreSettings(256 << 10, Variant.TWO_LEVEL.settings(16 << 20, 2));

    /** Keys come in pages of a thousand when a server lists them. */
    private static final int OBJECTS = 1100;

    /** Many, so that they share the forces of the disk. */
    private static final int WRITERS = 32;

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource
    void tellsVersionsApart(CleaningTarget through) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        try (MeasuredStore store = place(through).open(SETTINGS)) {
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
        StorePlace place = place(through);
        Spaces kept;
        try (MeasuredStore store = place.open(SETTINGS)) {
            Overwriting objects =
                    new Overwriting(
                            store, new Overwriting.Load(100, WRITERS, Distribution.UNIFORM, 1));
            WrittenBytes before = store.written();
            objects.grow(OBJECTS);
            objects.overwrite(OBJECTS);

            assertThat(objects.check(store, 50)).isEmpty();
            assertThat(store.written().since(before).of(WriteCause.CLIENT_DATA))
                    .isGreaterThan(2 * OBJECTS * 100);
            assertThat(store.implausible(16 << 20)).isEmpty();
            assertThat(store.implausible(1)).hasSize(1);
        }
        // The first start of a store that has history writes once that it needs no other format.
        try (MeasuredStore store = place.open(SETTINGS.notCleaning())) {
            kept = store.spaces();
            assertThat(kept.live()).isGreaterThan(OBJECTS * 100).isLessThan(kept.used());
            assertThat(kept.dead()).isPositive();
        }
        place.discardIndex();
        try (MeasuredStore store = place.open(SETTINGS.notCleaning())) {
            assertThat(kept.differences(store.spaces())).isEmpty();
            assertThat(store.count()).isEqualTo(OBJECTS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void seriesHasItsPoints(CleaningTarget through) throws Exception {
        List<Point> points = new ArrayList<>();
        List<String> complaints = new ArrayList<>();
        UtilizationSeries.Plan plan =
                new UtilizationSeries.Plan(
                        through,
                        Variant.TWO_LEVEL,
                        Distribution.ZIPFIAN,
                        2000,
                        List.of(55),
                        8 << 20,
                        256 << 10,
                        2,
                        WRITERS,
                        0.1,
                        200,
                        1);
        new UtilizationSeries(plan, directory).run(points::add, complaints::add);

        assertThat(complaints).isEmpty();
        assertThat(points).extracting(Point::percent).containsExactly(55);
        assertThat(points).allSatisfy(point -> assertThat(point.wrong()).isEmpty());
        assertThat(directory).isEmptyDirectory();
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

    private StorePlace place(CleaningTarget through) {
        return through.place(directory.resolve("store"), new Content(1));
    }
}
