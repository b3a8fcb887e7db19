package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.Place;
import io.volute.storage.cleaning.Compactor;
import io.volute.storage.format.InlineHole;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RowWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The pages that a compaction gives back, those it must leave alone, and the holes as a scan sees
 * them.
 */
class CompactionTest {
    private static final int LARGE = 30_000;

    private final Random random = new Random(11);
    private CubeFixture fixture = new CubeFixture();
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        fixture.inlineBytes = 20_000;
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private byte[] bytes(int count) {
        return CubeFixture.bytes(random, count);
    }

    private BlobId stored(String key, byte[] content) throws IOException {
        return CubeFixture.stored(cube, key, content);
    }

    private void remove(String key) {
        cube.commit(delete(key)).join();
    }

    /** Streams are sealed by a start. */
    private void reopen() throws IOException {
        cube.close();
        cube = fixture.open();
    }

    private Place extent(BlobId blob) {
        return cube.index().blob(blob.value()).orElseThrow().extents().getFirst();
    }

    private Place entry(BlobId blob) {
        return cube.index().blob(blob.value()).orElseThrow().entry();
    }

    private void rollHead() {
        long before = head(cube);
        for (int i = 0; head(cube) == before; i++) {
            cube.commit(put("fill" + i, "s".repeat(3000))).join();
        }
    }

    private static Path path(CubeFixture where, long segment) {
        String number = String.format("%020d", segment);
        return where.files.paths().stream()
                .filter(path -> path.getFileName().toString().startsWith(number))
                .filter(path -> !path.toString().endsWith(".free"))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] raw(CubeFixture where, long segment, long offset, int count)
            throws IOException {
        byte[] bytes = where.files.bytes(path(where, segment));
        return Arrays.copyOfRange(bytes, (int) offset, (int) offset + count);
    }

    private static void overwrite(CubeFixture where, long segment, long offset, byte[] bytes)
            throws IOException {
        where.files.overwrite(path(where, segment), offset, bytes);
    }

    private Path holedSpare() throws IOException {
        for (Path path : fixture.files.paths()) {
            if (path.toString().endsWith(".free") && allocated(path) < CubeFixture.SEGMENT_BYTES) {
                return path;
            }
        }
        throw new AssertionError("no spare with holes: " + fixture.files.paths());
    }

    private long allocated(Path path) throws IOException {
        try (StoredFile file = fixture.files.open(path, Access.READ)) {
            return file.allocatedBytes(0, file.size());
        }
    }

    private long holes(long segment) {
        return cube.space().segments().stream()
                .filter(each -> each.segmentId() == segment)
                .findFirst()
                .orElseThrow()
                .holes();
    }

    @Test
    void givesDeadExtentsBackAndLeavesTheOthers() throws IOException {
        byte[] before = bytes(20_100);
        byte[] after = bytes(20_100);
        BlobId first = stored("a", before);
        Place dead = extent(stored("b", bytes(20_100)));
        BlobId last = stored("c", after);
        assertThat(extent(first).segmentId()).isEqualTo(dead.segmentId());
        assertThat(extent(last).segmentId()).isEqualTo(dead.segmentId());
        reopen();
        remove("b");
        Compactor compactor = cube.compactor();
        long punchable = compactor.punchable(dead.segmentId());
        assertThat(punchable).isGreaterThanOrEqualTo(dead.bytes());
        assertThat(compactor.compact(dead.segmentId())).isEqualTo(punchable);
        assertThat(compactor.punchable(dead.segmentId())).isZero();
        assertThat(compactor.compact(dead.segmentId())).isZero();
        assertThat(holes(dead.segmentId())).isEqualTo(punchable);
        int count = (int) dead.bytes();
        assertThat(raw(fixture, dead.segmentId(), dead.offset(), count)).containsOnly(0);
        assertThat(CubeFixture.read(cube, first)).isEqualTo(before);
        assertThat(CubeFixture.read(cube, last)).isEqualTo(after);
    }

    @Test
    void figuresAreMeasuredAgainAfterACrash() throws IOException {
        stored("a", bytes(21_000));
        long segment = extent(stored("b", bytes(LARGE))).segmentId();
        reopen();
        remove("b");
        long given = cube.compactor().compact(segment);
        try (LogCube again = fixture.crashImage().open()) {
            assertThat(again.compactor().holeBytes(segment)).isEqualTo(given).isPositive();
            assertThat(again.compactor().punchable(segment)).isZero();
        }
    }

    /** Rule: every reader that opened before the death has ended. */
    @Test
    void readerThatOpenedBeforeTheDeathReadsAll() throws IOException {
        byte[] content = bytes(LARGE);
        BlobId blob = stored("a", content);
        long segment = extent(blob).segmentId();
        reopen();
        try (BlobReader reader = cube.openBlob(blob)) {
            remove("a");
            assertThat(cube.compactor().compact(segment)).isZero();
            assertThat(cube.compactor().compact(segment)).isZero();
            assertThat(CubeFixture.readRange(reader, 0, reader.bytes())).isEqualTo(content);
        }
        assertThat(cube.compactor().compact(segment)).isGreaterThanOrEqualTo(LARGE);
    }

    /** The same for an inline blob. */
    @Test
    void readerOfAnInlineBlobReadsAll() throws IOException {
        byte[] content = bytes(15_000);
        BlobId blob = stored("a", content);
        Place entry = entry(blob);
        rollHead();
        try (BlobReader reader = cube.openBlob(blob)) {
            remove("a");
            assertThat(cube.compactor().compact(entry.segmentId())).isZero();
            assertThat(CubeFixture.readRange(reader, 0, reader.bytes())).isEqualTo(content);
        }
        assertThat(cube.compactor().compact(entry.segmentId())).isEqualTo(InlineHole.bytes(entry));
    }

    /** Rule: who has looked a place up and not pinned it yet counts as a reader. */
    @Test
    void readerBetweenLookUpAndPinReadsAll() throws IOException {
        byte[] content = bytes(LARGE);
        BlobId blob = stored("a", content);
        long segment = extent(blob).segmentId();
        reopen();
        long[] given = {-1};
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforePin() {
                        if (given[0] < 0) {
                            given[0] = 0;
                            remove("a");
                            given[0] = compacted(segment);
                        }
                    }
                };
        reopen();
        try (BlobReader reader = cube.openBlob(blob)) {
            assertThat(given[0]).isZero();
            assertThat(cube.compactor().compact(segment)).isZero();
            assertThat(CubeFixture.readRange(reader, 0, reader.bytes())).isEqualTo(content);
        }
        assertThat(cube.compactor().compact(segment)).isGreaterThanOrEqualTo(LARGE);
    }

    private long compacted(long segment) {
        try {
            return cube.compactor().compact(segment);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Rule: readers that come later do not put a compaction off for ever. */
    @Test
    void laterReadersDoNotHoldIt() throws IOException {
        BlobId kept = stored("a", bytes(21_000));
        long segment = extent(stored("b", bytes(21_000))).segmentId();
        assertThat(extent(kept).segmentId()).isEqualTo(segment);
        reopen();
        BlobReader early = cube.openBlob(kept);
        remove("b");
        assertThat(cube.compactor().compact(segment)).isZero();
        try (BlobReader late = cube.openBlob(kept)) {
            early.close();
            assertThat(late.bytes()).isEqualTo(21_000);
            assertThat(cube.compactor().compact(segment)).isPositive();
        }
    }

    /** Rule: a death that only the log knows is replayed before anything is read. */
    @Test
    void deathThatOnlyTheLogKnowsIsReplayedFirst() throws IOException {
        byte[] content = bytes(21_000);
        BlobId kept = stored("a", content);
        BlobId dead = stored("b", bytes(21_000));
        long segment = extent(dead).segmentId();
        reopen();
        remove("b");
        assertThat(cube.compactor().compact(segment)).isPositive();
        CubeFixture image = fixture.crashImage();
        try (LogCube replayed = image.open()) {
            assertThat(replayed.report().indexRebuilt()).isFalse();
            assertThat(replayed.report().replayedEntries()).isEqualTo(1);
            assertThat(CubeFixture.dump(replayed)).isEqualTo(CubeFixture.dump(cube));
            assertThat(CubeFixture.read(replayed, kept)).isEqualTo(content);
            assertThatThrownBy(() -> replayed.openBlob(dead))
                    .isInstanceOf(MissingBlobException.class);
        }
        image.indexes = new MemoryIndexFactory();
        try (LogCube rebuilt = image.open()) {
            assertThat(rebuilt.report().indexRebuilt()).isTrue();
            assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
            assertThat(CubeFixture.read(rebuilt, kept)).isEqualTo(content);
        }
    }

    @Test
    void openSegmentsAreLeftAlone() throws IOException {
        BlobId large = stored("a", bytes(LARGE));
        long stream = extent(large).segmentId();
        stored("b", bytes(15_000));
        remove("a");
        remove("b");
        assertThat(cube.compactor().punchable(stream)).isZero();
        assertThat(cube.compactor().compact(stream)).isZero();
        assertThat(cube.compactor().compact(head(cube))).isZero();
        assertThat(cube.compactor().compact(4711)).isZero();
    }

    @Test
    void abandonedUploadsAreDead() throws IOException {
        long segment = extent(stored("a", bytes(21_000))).segmentId();
        CubeFixture.blob(cube, bytes(25_000)).close();
        reopen();
        assertThat(cube.compactor().compact(segment)).isGreaterThanOrEqualTo(25_000);
    }

    /** A dead inline blob in a sealed head, between two that live. */
    private Place deadInline() throws IOException {
        stored("before", bytes(5_000));
        Place entry = entry(stored("dead", bytes(15_000)));
        stored("after", bytes(5_000));
        rollHead();
        remove("dead");
        assertThat(cube.compactor().punchable(entry.segmentId()))
                .isEqualTo(InlineHole.bytes(entry))
                .isPositive();
        return entry;
    }

    @Test
    void holeInAHeadIsNoDamageToARebuild() throws IOException {
        Place dead = deadInline();
        long given = cube.compactor().compact(dead.segmentId());
        assertThat(given).isEqualTo(InlineHole.bytes(dead));
        assertThat(raw(fixture, dead.segmentId(), InlineHole.begin(dead), (int) given))
                .containsOnly(0);
        try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
            assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
            assertThat(rebuilt.compactor().holeBytes(dead.segmentId())).isEqualTo(given);
            assertThat(rebuilt.compactor().compact(dead.segmentId())).isZero();
        }
    }

    /** The replay begins before the hole, in the same head. */
    @Test
    void holeInAHeadIsNoDamageToAReplay() throws IOException {
        stored("first", bytes(100));
        cube.flushIndex();
        Place dead = deadInline();
        assertThat(cube.compactor().compact(dead.segmentId())).isPositive();
        try (LogCube replayed = fixture.crashImage().open()) {
            assertThat(replayed.report().indexRebuilt()).isFalse();
            assertThat(replayed.report().replayedEntries()).isPositive();
            assertThat(CubeFixture.dump(replayed)).isEqualTo(CubeFixture.dump(cube));
        }
    }

    /** The remains of an unforced punch after a crash: some pages are back, some not. */
    @Test
    void halfAHoleIsAHole() throws IOException {
        Place dead = deadInline();
        long segment = dead.segmentId();
        byte[] page = raw(fixture, segment, InlineHole.begin(dead), 4096);
        assertThat(cube.compactor().compact(segment)).isGreaterThan(4096);
        overwrite(fixture, segment, InlineHole.begin(dead), page);
        try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
            assertThat(CubeFixture.dump(rebuilt)).isEqualTo(CubeFixture.dump(cube));
            // Nothing proves any more what lay there: it is left, and not tried for ever.
            assertThat(rebuilt.compactor().punchable(segment)).isEqualTo(4096);
            assertThat(rebuilt.compactor().compact(segment)).isZero();
            assertThat(rebuilt.compactor().punchable(segment)).isZero();
        }
    }

    @Test
    void holeInALiveBlobIsReportedByARebuild() throws IOException {
        stored("first", bytes(100));
        cube.flushIndex();
        BlobId live = stored("live", bytes(15_000));
        Place entry = entry(live);
        rollHead();
        overwrite(fixture, entry.segmentId(), InlineHole.begin(entry), new byte[4096]);
        // The replay meets it first, and requests a rebuild.
        assertThatThrownBy(fixture.crashImage()::open)
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("blob " + live.value() + " has references");
        CubeFixture image = fixture.imageWithoutIndex();
        image.onDamage = OnDamage.ACCEPT_READ_ONLY;
        try (LogCube readOnly = image.open()) {
            assertThat(readOnly.report().damages())
                    .anyMatch(line -> line.contains("blob " + live.value() + " has references"));
            assertThatThrownBy(() -> readOnly.compactor().compact(entry.segmentId()))
                    .isInstanceOf(CubeUnavailableException.class);
        }
    }

    @Test
    void damagedLogTellsItsHolesToo() throws IOException {
        Place dead = deadInline();
        long given = cube.compactor().compact(dead.segmentId());
        CubeFixture image = fixture.crashImage();
        image.onDamage = OnDamage.ACCEPT_READ_ONLY;
        flipBehind(dead, image);
        try (LogCube readOnly = image.open()) {
            assertThat(readOnly.report().damages()).isNotEmpty();
            assertThat(readOnly.compactor().holeBytes(dead.segmentId()))
                    .isEqualTo(given)
                    .isPositive();
        }
    }

    /** Damages the record that follows the blob in the same batch. */
    private static void flipBehind(Place blob, CubeFixture image) throws IOException {
        image.files.flipBit(path(image, blob.segmentId()), blob.offset() + blob.bytes() + 13, 0);
    }

    @Test
    void otherDamageStaysDamage() throws IOException {
        Place dead = deadInline();
        CubeFixture flipped = fixture.imageWithoutIndex();
        flipped.files.flipBit(path(flipped, dead.segmentId()), InlineHole.begin(dead) + 5000, 0);
        assertThatThrownBy(flipped::open).isInstanceOf(DamagedException.class);
        assertThat(cube.compactor().compact(dead.segmentId())).isPositive();
        CubeFixture beside = fixture.imageWithoutIndex();
        flipBehind(dead, beside);
        assertThatThrownBy(beside::open).isInstanceOf(DamagedException.class);
    }

    /** A blob that does not fit its checksum is not proved to be dead, whatever its front holds. */
    @Test
    void damagedBlobIsNotPunched() throws IOException {
        BlobId live = stored("live", bytes(15_000));
        Place entry = entry(live);
        stored("dead", bytes(9_000));
        rollHead();
        remove("dead");
        // Another blob id.
        fixture.files.flipBit(path(fixture, entry.segmentId()), entry.offset() + 13, 0);
        byte[] before = raw(fixture, entry.segmentId(), entry.offset(), (int) entry.bytes());
        assertThat(cube.compactor().compact(entry.segmentId())).isPositive();
        assertThat(raw(fixture, entry.segmentId(), entry.offset(), (int) entry.bytes()))
                .isEqualTo(before);
    }

    @Test
    void fileSystemThatCannotPunchIsLeftInPeace() throws IOException {
        byte[] content = bytes(LARGE);
        long segment = extent(stored("a", content)).segmentId();
        Place inline = deadInline();
        reopen();
        fixture.files.refusePunches();
        remove("a");
        assertThat(cube.compactor().compact(segment)).isZero();
        assertThat(cube.compactor().punchable(segment)).isZero();
        assertThat(cube.compactor().punchable(inline.segmentId())).isZero();
        assertThat(cube.compactor().compact(inline.segmentId())).isZero();
        stored("b", content);
    }

    /** Rule: a head must find its space when the disk is full. */
    @Test
    void punchedFileIsFilledBeforeAHeadGetsIt() throws IOException {
        stored("keeps the head", bytes(100));
        long segment = extent(stored("a", bytes(LARGE))).segmentId();
        reopen();
        remove("a");
        assertThat(cube.compactor().compact(segment)).isPositive();
        int spares = cube.space().freeSegments();
        cube.flushIndex();
        assertThat(cube.space().segments()).noneMatch(each -> each.segmentId() == segment);
        assertThat(cube.space().freeSegments()).isEqualTo(spares);
        Path holed = holedSpare();
        while (fixture.files.paths().contains(holed)) {
            rollHead();
        }
        assertThat(allocated(path(fixture, head(cube)))).isEqualTo(CubeFixture.SEGMENT_BYTES);
    }

    @Test
    void punchedFileServesAStreamAsItIs() throws IOException {
        stored("keeps the head", bytes(100));
        long segment = extent(stored("a", bytes(LARGE))).segmentId();
        reopen();
        remove("a");
        cube.compactor().compact(segment);
        cube.flushIndex();
        Path holed = holedSpare();
        stored("b", bytes(LARGE));
        assertThat(fixture.files.paths()).doesNotContain(holed);
    }

    @Test
    void indexWithoutRowsOfExtentsIsMadeAgain() throws IOException {
        byte[] content = bytes(LARGE);
        BlobId live = stored("a", content);
        long segment = extent(live).segmentId();
        IndexTable meta = CubeIndex.tables(CubeFixture.FAMILIES).getLast();
        byte[] identity =
                ByteBuffer.allocate(16)
                        .putLong(CubeFixture.CUBE.getMostSignificantBits())
                        .putLong(CubeFixture.CUBE.getLeastSignificantBits())
                        .array();
        CubeFixture.spoil(
                cube,
                batch -> {
                    cube.index()
                            .extents()
                            .delete(batch, cube.index().blob(live.value()).orElseThrow());
                    byte[] format = new RowWriter(24).number(1).raw(identity).toBytes();
                    batch.put(meta, new byte[] {'f'}, format);
                });
        reopen();
        assertThat(cube.report().indexRebuilt()).isTrue();
        assertThat(cube.compactor().compact(segment)).isNotNegative();
        assertThat(CubeFixture.read(cube, live)).isEqualTo(content);
    }
}
