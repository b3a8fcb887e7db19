package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CleaningSettings;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import java.io.IOException;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Space of packed bodies that the balancer gives back without copying. */
class LevelOneTest {
    private static final int OVERWRITES_MAX = 5_000;

    private final Random random = new Random(5);
    private final CubeFixture fixture = new CubeFixture();
    private LogCube cube;

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private void open(CleaningSettings cleaning) throws IOException {
        fixture.inlineBytes = 28_000;
        fixture.cleaning = cleaning;
        cube = fixture.open();
    }

    private void store(String key, int bytes) throws IOException {
        CubeFixture.stored(cube, key, CubeFixture.bytes(random, bytes));
    }

    private long compactable() {
        return cube.space().totals().compactable();
    }

    private void rollHead() throws IOException {
        long heads = heads().count();
        for (int i = 0; heads().count() == heads; i++) {
            store("fill" + i, 1_000);
        }
    }

    private Stream<SegmentSpace> heads() {
        return cube.space().segments().stream()
                .filter(each -> each.kind() == SpaceReport.Kind.HEAD);
    }

    @Test
    void deadBlobsCountFromTheLengthOnThatIsWorthACall() throws IOException {
        open(CleaningSettings.onlyWhenAsked().withHoles(16 << 10));
        store("a", 16_000);
        store("b", 24_600);
        rollHead();
        CubeFixture.stored(cube, "a", new byte[1]);
        assertThat(compactable()).isZero();
        CubeFixture.stored(cube, "b", new byte[1]);
        assertThat(compactable()).isEqualTo(20 << 10);
    }

    @Test
    void segmentIsReadOnlyWhereMuchOfItIsDead() throws IOException {
        open(CleaningSettings.onlyWhenAsked());
        store("a", 9_000);
        store("b", 9_000);
        rollHead();
        CubeFixture.stored(cube, "a", new byte[1]);
        assertThat(compactable()).isZero();
        CubeFixture.stored(cube, "b", new byte[1]);
        assertThat(compactable()).isEqualTo(8 << 10);
    }

    @Test
    void fullStoreMakesHolesInHeads() throws IOException {
        long capacity = 40L * CubeFixture.SEGMENT_BYTES;
        open(new CleaningSettings(1, capacity, 0.1, 0.4, 1000, 0.9, 4).withHoles(16 << 10));
        int written = 0;
        while (heads().allMatch(each -> each.holes() == 0) && written < OVERWRITES_MAX) {
            store("key" + random.nextInt(40), 28_000);
            written++;
        }
        assertThat(heads()).anyMatch(each -> each.holes() > 0);
    }
}
