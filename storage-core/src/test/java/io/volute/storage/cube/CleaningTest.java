package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.format.LogEntry;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Combined cleaning: what is moved, what is dropped, what a crash in between leaves. */
class CleaningTest {
    private static final int KEYS = 12;

    private CubeFixture fixture = new CubeFixture();
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private Set<Long> segments(SpaceReport.Kind kind) {
        Set<Long> ids = new TreeSet<>();
        for (SpaceReport.SegmentSpace each : cube.space().segments()) {
            if (each.kind() == kind) {
                ids.add(each.segmentId());
            }
        }
        return ids;
    }

    private void putKeys() throws IOException {
        for (int i = 0; i < KEYS; i++) {
            PendingBlob blob = CubeFixture.blob(cube, content(i));
            cube.commit(put("k" + i, "value " + i, blob.id()).add(blob)).join();
        }
    }

    private static byte[] content(int i) {
        byte[] content = new byte[300 + i];
        Arrays.fill(content, (byte) i);
        return content;
    }

    private void assertKeys(Cube found) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            var record = found.get(NAMES, utf8("k" + i)).orElseThrow();
            assertThat(record.summary()).isEqualTo(utf8("value " + i));
            assertThat(CubeFixture.read(found, record.references().getFirst()))
                    .isEqualTo(content(i));
        }
    }

    private void assertRebuiltIsEqual() throws IOException {
        try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
            assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
        }
    }

    @Test
    void freesMoreThanItFillsAndKeepsEverything() throws IOException {
        long first = head(cube);
        putKeys();
        roll(cube);
        roll(cube);
        roll(cube);
        long freed = cube.clean(Cube.Cleaning.COMBINED);
        assertThat(freed).isGreaterThan(CubeFixture.SEGMENT_BYTES);
        assertThat(segments(SpaceReport.Kind.HEAD)).doesNotContain(first);
        assertThat(segments(SpaceReport.Kind.SURVIVOR)).hasSize(1);
        assertKeys(cube);
        assertRebuiltIsEqual();
        int passes = 1;
        while (cube.clean(Cube.Cleaning.COMBINED) > 0) {
            assertThat(++passes).as("what was cleaned is cleaned again").isLessThan(4);
        }
        assertKeys(cube);
    }

    @Test
    void theIndexIsAskedOnlyForWhatThisStartDoesNotKnow() throws IOException {
        close();
        CountingIndexes indexes = new CountingIndexes();
        fixture.indexWrapper = indexes::over;
        open();
        roll(cube);
        putKeys();
        putKeys();
        cube.commit(put("k3", "gone")).join();
        cube.commit(delete("k3")).join();
        PendingBlob shared = CubeFixture.blob(cube, content(3));
        cube.commit(put("k3", "value 3", shared.id()).add(shared)).join();
        cube.commit(put("also", "value 3", shared.id())).join();
        long first = head(cube);
        roll(cube);
        cube.cleaner().cleanThese(Set.of(first), CleaningPass.Pace.NONE);
        assertThat(segments(SpaceReport.Kind.HEAD)).doesNotContain(first);
        assertThat(indexes.getsTogether.sum()).as("the shared blob").isEqualTo(1);
        long survivor = segments(SpaceReport.Kind.SURVIVOR).iterator().next();
        cube.cleaner().cleanThese(Set.of(survivor), CleaningPass.Pace.NONE);
        assertThat(indexes.getsTogether.sum()).as("the shared blob, moved").isEqualTo(2);
        assertKeys(cube);
        close();
        open();
        roll(cube);
        survivor = segments(SpaceReport.Kind.SURVIVOR).iterator().next();
        cube.cleaner().cleanThese(Set.of(survivor), CleaningPass.Pace.NONE);
        assertThat(indexes.getsTogether.sum()).isGreaterThanOrEqualTo(2 + 2 * KEYS);
        assertKeys(cube);
        assertRebuiltIsEqual();
    }

    @Test
    void readerOfACleanedSegmentReadsOn() throws IOException {
        putKeys();
        roll(cube);
        roll(cube);
        roll(cube);
        var record = cube.get(NAMES, utf8("k3")).orElseThrow();
        try (BlobReader reader = cube.openBlob(record.references().getFirst())) {
            assertThat(cube.clean(Cube.Cleaning.COMBINED)).isPositive();
            roll(cube);
            roll(cube);
            assertThat(CubeFixture.readRange(reader, 0, reader.bytes())).isEqualTo(content(3));
        }
    }

    /** The place in a record that was looked up before is followed to the survivor. */
    @Test
    void detailOfAMovedRecordIsFound() throws IOException {
        cube.commit(
                        new Transaction()
                                .put(NAMES, utf8("d"), utf8("s"), utf8("the detail"), List.of()))
                .join();
        roll(cube);
        roll(cube);
        roll(cube);
        var before = cube.get(NAMES, utf8("d")).orElseThrow();
        assertThat(cube.clean(Cube.Cleaning.COMBINED)).isPositive();
        assertThat(cube.get(NAMES, utf8("d")).orElseThrow().place()).isNotEqualTo(before.place());
        assertThat(cube.readDetail(NAMES, utf8("d"), before)).isEqualTo(utf8("the detail"));
    }

    /** Throws when the second batch is about to be written. */
    private static final class OneBatch implements CleaningPass.Pace {
        private final int entries;
        private boolean begun;

        OneBatch(int entries) {
            this.entries = entries;
        }

        @Override
        public void await(long ignored) throws IOException {
            if (begun) {
                throw new IOException("stopped here");
            }
            begun = true;
        }

        @Override
        public boolean isEnough(int pending, long bytes) {
            return pending >= entries;
        }
    }

    private void cleanOneBatch(int entries) {
        assertThatThrownBy(
                        () ->
                                cube.cleaner()
                                        .cleanThese(
                                                segments(SpaceReport.Kind.HEAD),
                                                new OneBatch(entries)))
                .hasMessage("stopped here");
    }

    private void crash() throws IOException {
        goOnWith(fixture.crashImage());
    }

    private void restartWithoutIndex() throws IOException {
        goOnWith(fixture.imageWithoutIndex());
        assertThat(cube.report().indexRebuilt()).isTrue();
    }

    private void goOnWith(CubeFixture image) throws IOException {
        cube.close();
        fixture = image;
        cube = fixture.open();
    }

    /** Four entries lie in the segment returned and in a survivor, a fifth was not moved. */
    private long moveFourAndCrash() throws IOException {
        for (int i = 0; i < 4; i++) {
            cube.commit(put("moved" + i, "m")).join();
        }
        cube.commit(put("stays", "s")).join();
        long origin = head(cube);
        roll(cube);
        cleanOneBatch(4);
        cube.flushIndex();
        crash();
        return origin;
    }

    /** Returns the segment of the tombstones. */
    private long deleteTheMoved() throws IOException {
        for (int i = 0; i < 4; i++) {
            cube.commit(delete("moved" + i)).join();
        }
        long killers = head(cube);
        roll(cube);
        return killers;
    }

    /**
     * Killers of moved records name the survivor, but copies lie in its origin as well: they must
     * not be forgotten before that has gone.
     */
    @Test
    void survivorOutlivesItsOrigins() throws IOException {
        long origin = moveFourAndCrash();
        long killers = deleteTheMoved();
        cube.flushIndex();
        assertThat(segments(SpaceReport.Kind.HEAD)).contains(origin);
        assertThat(segments(SpaceReport.Kind.SURVIVOR)).hasSize(1);
        cube.cleaner().cleanThese(Set.of(killers), CleaningPass.Pace.NONE);
        assertStaysDeleted("moved0");
    }

    /**
     * A crash leaves entries in their origin and in a survivor. Who kills them later must not name
     * the origin, which leaves the log first.
     */
    @Test
    void rebuildTakesTheCopyOfTheSurvivor() throws IOException {
        long origin = moveFourAndCrash();
        restartWithoutIndex();
        assertThat(segments(SpaceReport.Kind.SURVIVOR))
                .contains(cube.get(NAMES, utf8("moved0")).orElseThrow().place().segmentId());
        long killers = deleteTheMoved();
        cube.cleaner().cleanThese(Set.of(origin), CleaningPass.Pace.NONE);
        cube.cleaner().cleanThese(Set.of(killers), CleaningPass.Pace.NONE);
        assertThat(segments(SpaceReport.Kind.HEAD)).doesNotContain(origin, killers);
        assertStaysDeleted("moved0");
    }

    /** A rebuild does not bring it back. */
    private void assertStaysDeleted(String key) throws IOException {
        restartWithoutIndex();
        assertThat(cube.get(NAMES, utf8(key))).isEmpty();
        assertThat(cube.get(NAMES, utf8("stays"))).isPresent();
    }

    /** The part of a survivor behind its published end does not count after a crash. */
    @Test
    void crashBeforeTheIndexIsFlushedLeavesEverythingWhereItWas() throws IOException {
        putKeys();
        roll(cube);
        cube.flushIndex();
        cleanOneBatch(5);
        crash();
        assertThat(cube.report().indexRebuilt()).isFalse();
        assertKeys(cube);
        SpaceReport.SegmentSpace survivor =
                cube.space().segments().stream()
                        .filter(each -> each.kind() == SpaceReport.Kind.SURVIVOR)
                        .findFirst()
                        .orElseThrow();
        assertThat(survivor.live()).isZero();
        assertThat(survivor.written()).isLessThanOrEqualTo(3 * 4096);
        assertRebuiltIsEqual();
    }

    /** It would be missing from what is kept for deletes and for the cleaner. */
    @Test
    void spaceOfASurvivorThatACrashCutOffIsGivenBack() throws IOException {
        for (int i = 0; i < 30; i++) {
            CubeFixture.stored(cube, "k" + i, new byte[1900]);
        }
        roll(cube);
        cube.flushIndex();
        long before = cube.space().totals().used();
        cleanOneBatch(40);
        assertThat(cube.space().totals().used()).isGreaterThan(before + (32 << 10));
        crash();
        assertThat(cube.report().indexRebuilt()).isFalse();
        assertThat(cube.space().totals().used()).isLessThanOrEqualTo(before + 3 * 4096);
        assertRebuiltIsEqual();
    }

    /** The other way round: a flush in the middle of a pass makes part of the survivor count. */
    @Test
    void crashAfterAFlushKeepsWhatTheIndexKnows() throws IOException {
        putKeys();
        roll(cube);
        cleanOneBatch(5);
        cube.flushIndex();
        crash();
        assertThat(cube.report().indexRebuilt()).isFalse();
        assertKeys(cube);
        cube.cleaner().cleanThese(segments(SpaceReport.Kind.HEAD), CleaningPass.Pace.NONE);
        crash();
        assertKeys(cube);
        assertRebuiltIsEqual();
    }

    /** Finds no room for the tombstones of copies. */
    private static final class NoRoomForKept extends HookedLog.Hooks {
        private boolean isOver;

        @Override
        public void beforeAppend(List<LogEntry> entries) throws IOException {
            if (!isOver && entries.getFirst() instanceof LogEntry.KeptTombstone) {
                throw new CubeUnavailableException(Reason.FULL, "no room");
            }
        }
    }

    /** A copy that was not published must not count: its killer names the origin. */
    @Test
    void aBatchThatTheIndexDoesNotTakeDoesNotCount() throws IOException {
        close();
        NoRoomForKept noRoom = new NoRoomForKept();
        fixture.hooks = noRoom;
        open();
        cube.commit(put("deleted", "d")).join();
        cube.commit(put("stays", "s")).join();
        roll(cube);
        CleaningPass.Pace deleting = bytes -> cube.commit(delete("deleted")).join();
        assertThatThrownBy(
                        () -> cube.cleaner().cleanThese(segments(SpaceReport.Kind.HEAD), deleting))
                .isInstanceOf(CubeUnavailableException.class);
        noRoom.isOver = true;
        roll(cube);
        for (int i = 0; i < 4; i++) {
            // Origin and tombstone go.
            cube.cleaner().cleanThese(segments(SpaceReport.Kind.HEAD), CleaningPass.Pace.NONE);
            roll(cube);
        }
        assertStaysDeleted("deleted");
    }

    @Test
    void damagedEntryIsReportedAndItsSegmentKept() throws IOException {
        putKeys();
        long first = head(cube);
        roll(cube);
        roll(cube);
        roll(cube);
        fixture.files.flipBit(
                CubeFixture.LOG.resolve(String.format("%020d.head", first)), 3 * 4096 + 100, 0);
        assertThat(cube.clean(Cube.Cleaning.COMBINED)).isZero();
        assertThat(cube.cleaner().totals().damaged()).isEqualTo(1);
        assertThat(cube.clean(Cube.Cleaning.COMBINED)).isPositive();
        assertThat(segments(SpaceReport.Kind.HEAD)).contains(first);
    }
}
