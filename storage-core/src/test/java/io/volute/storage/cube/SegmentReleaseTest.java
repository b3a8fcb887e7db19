package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.accounting.ActiveUploads;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.log.LogPosition;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When segments leave the log, and what a crash around that finds. */
class SegmentReleaseTest {
    private final CubeFixture fixture = new CubeFixture();
    private final Set<Long> freed = new TreeSet<>();
    private final List<CubeFixture> crashesAfterFree = new ArrayList<>();
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforeFree(Collection<Long> segments) {
                        freed.addAll(segments);
                    }

                    @Override
                    public void afterFree(Collection<Long> segments) {
                        crashesAfterFree.add(fixture.crashImage());
                    }
                };
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    /** Commits until the head is a new segment; returns the keys. */
    private List<String> fillHead(String prefix) {
        List<String> keys = new ArrayList<>();
        long before = head(cube);
        while (head(cube) == before) {
            String key = prefix + keys.size();
            keys.add(key);
            cube.commit(put(key, "s".repeat(3000))).join();
        }
        return keys;
    }

    private void deleteAll(List<String> keys) {
        keys.forEach(key -> cube.commit(delete(key)).join());
    }

    @Test
    void deadHeadLeavesAfterAFlushOnly() throws IOException {
        long first = head(cube);
        List<String> keys = fillHead("a");
        deleteAll(keys);
        assertThat(freed).isEmpty();
        cube.flushIndex();
        assertThat(freed).contains(first);
        assertThat(cube.space().segments()).noneMatch(each -> each.segmentId() == first);
    }

    /** Few dead segments are not worth a flush; after an orderly stop they go at the next start. */
    @Test
    void deadHeadLeavesAtTheNextStart() throws Exception {
        long first = head(cube);
        deleteAll(fillHead("a"));
        assertThat(freed).isEmpty();
        cube.close();
        CompletableFuture<Collection<Long>> gone = new CompletableFuture<>();
        fixture.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void afterFree(Collection<Long> segments) {
                        gone.complete(segments);
                    }
                };
        fixture.flushesInBackground = true;
        cube = fixture.open();
        assertThat(cube.report().cleanStart()).isTrue();
        assertThat(gone.get(1, TimeUnit.MINUTES)).contains(first);
    }

    /** The rule: what the flushed index needs, for its rows or its replay, is still in the log. */
    @Test
    void crashRightAfterTheFreeFindsAnIndexThatNeedsNothingOfIt() throws IOException {
        List<String> keys = fillHead("a");
        cube.flushIndex();
        List<String> more = fillHead("b");
        deleteAll(keys);
        deleteAll(more);
        cube.commit(put("stays", "1")).join();
        cube.flushIndex();
        assertThat(freed).hasSizeGreaterThanOrEqualTo(2);
        assertThat(crashesAfterFree).hasSize(1);
        try (LogCube recovered = crashesAfterFree.getFirst().open()) {
            assertThat(recovered.report().indexRebuilt()).isFalse();
            assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
        }
    }

    @Test
    void segmentThatDiedDuringTheFlushWaitsForTheNext() throws IOException {
        long first = head(cube);
        List<String> keys = fillHead("a");
        Set<Long> before =
                new SegmentRelease(fixture.log(), cube.index(), accounts(), noUploads())
                        .candidates(cube.index().state().position());
        deleteAll(keys);
        assertThat(before).doesNotContain(first);
        cube.flushIndex();
        assertThat(freed).contains(first);
    }

    private SegmentAccounts accounts() {
        return SegmentAccounts.load(cube.index(), 0);
    }

    private ActiveUploads noUploads() throws IOException {
        return new ActiveUploads(fixture.log(), bytes -> {});
    }

    @Test
    void headThatHoldsThePositionStays() throws IOException {
        long first = head(cube);
        cube.commit(put("a", "1")).join();
        cube.commit(delete("a")).join();
        cube.flushIndex();
        assertThat(freed).doesNotContain(first);
    }

    /** A digest may have rolled the head: then the position lies in a sealed segment. */
    @Test
    void sealedHeadThatHoldsThePositionStays() throws IOException {
        long first = head(cube);
        deleteAll(fillHead("a"));
        SegmentRelease release =
                new SegmentRelease(fixture.log(), cube.index(), accounts(), noUploads());
        assertThat(release.candidates(new LogPosition(first, 60_000))).doesNotContain(first);
        assertThat(release.candidates(new LogPosition(first + 1, 4096))).contains(first);
    }

    /** Otherwise a rebuild would bring the victim back. */
    @Test
    void killerStaysAsLongAsTheSegmentOfItsVictim() throws IOException {
        cube.commit(put("pin", "keeps the first segment")).join();
        cube.commit(put("k", "old")).join();
        long first = head(cube);
        List<String> one = fillHead("a");
        long second = head(cube);
        cube.commit(put("k", "new")).join();
        List<String> two = fillHead("b");
        long third = head(cube);
        cube.commit(delete("k")).join();
        List<String> three = fillHead("c");
        deleteAll(one);
        deleteAll(two);
        deleteAll(three);
        cube.flushIndex();
        assertThat(freed).doesNotContain(first, second, third);
        try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
            assertThat(rebuilt.get(NAMES, utf8("k"))).isEmpty();
        }
        cube.commit(delete("pin")).join();
        cube.flushIndex();
        assertThat(freed).contains(first, second, third);
    }

    @Test
    void tombstonesAreDeadOnceTheirVictimsLeft() throws IOException {
        List<String> keys = fillHead("a");
        // The last one is in the head that stays.
        deleteAll(keys.subList(0, keys.size() - 1));
        long now = head(cube);
        assertThat(cube.space().segments())
                .filteredOn(each -> each.segmentId() == now)
                .allMatch(each -> each.tombstones() > 0);
        cube.flushIndex();
        assertThat(cube.space().segments())
                .filteredOn(each -> each.segmentId() == now)
                .allMatch(each -> each.tombstones() == 0 && each.dead() > 0);
    }

    private Set<Long> sealedStreams() {
        Set<Long> sealed = new TreeSet<>();
        for (SpaceReport.SegmentSpace each : cube.space().segments()) {
            if (each.kind() == SpaceReport.Kind.STREAM && each.sealed()) {
                sealed.add(each.segmentId());
            }
        }
        return sealed;
    }

    @Test
    void uploadProtectsItsSegmentsUntilItIsCommittedOrAbandoned() throws IOException {
        byte[] content = new byte[200_000];
        content[150_000] = 7;
        PendingBlob blob = CubeFixture.blob(cube, content);
        cube.flushIndex();
        assertThat(freed).isEmpty();
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        cube.flushIndex();
        assertThat(freed).isEmpty();
        assertThat(CubeFixture.read(cube, blob.id())).isEqualTo(content);
        cube.commit(delete("a")).join();
        Set<Long> sealed = sealedStreams();
        assertThat(sealed).hasSizeGreaterThanOrEqualTo(2);
        cube.flushIndex();
        assertThat(freed).containsExactlyElementsOf(sealed);
    }

    /** Whatever the log seals: bytes of an upload count as in use. */
    @Test
    void unfinishedUploadCounts() throws IOException {
        ActiveUploads uploads = new ActiveUploads(startedLog(), bytes -> {});
        ActiveUploads.Upload upload = uploads.begin(1, OptionalLong.empty());
        upload.write(ByteBuffer.allocate(100_000));
        assertThat(uploads.bytesBySegment()).hasSizeGreaterThanOrEqualTo(2);
        upload.finish();
        assertThat(uploads.bytesBySegment()).hasSizeGreaterThanOrEqualTo(2);
        upload.committed();
        assertThat(uploads.bytesBySegment()).isEmpty();
    }

    private static io.volute.storage.log.SegmentLog startedLog() throws IOException {
        io.volute.storage.log.SegmentLog log = new CubeFixture().log();
        log.startAppending(log.replay(LogPosition.START, batch -> {}).end(), 1);
        return log;
    }

    @Test
    void abandonedUploadsGiveTheirSpaceBack() throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(300_000))) {
            writer.write(ByteBuffer.allocate(200_000));
        }
        CubeFixture.blob(cube, new byte[100_000]).close();
        Set<Long> sealed = sealedStreams();
        assertThat(sealed).isNotEmpty();
        cube.flushIndex();
        assertThat(freed).containsExactlyElementsOf(sealed);
    }

    @Test
    void uploadsCutOffByACrashGiveTheirSpaceBackAtTheNextStart() throws IOException {
        PendingBlob blob = CubeFixture.blob(cube, new byte[200_000]);
        CubeFixture image = fixture.crashImage();
        blob.close();
        Set<Long> freedLater = new TreeSet<>();
        image.hooks =
                new HookedLog.Hooks() {
                    @Override
                    public void beforeFree(Collection<Long> segments) {
                        freedLater.addAll(segments);
                    }
                };
        image.flushesInBackground = false;
        try (LogCube recovered = image.open()) {
            recovered.flushIndex();
            assertThat(freedLater).hasSizeGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void readerKeepsItsBytes() throws IOException {
        byte[] content = new byte[150_000];
        content[149_999] = 9;
        PendingBlob blob = CubeFixture.blob(cube, content);
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        try (BlobReader reader = cube.openBlob(blob.id())) {
            cube.commit(delete("a")).join();
            cube.flushIndex();
            assertThat(freed).isNotEmpty();
            // New uploads would take the files if they could.
            CubeFixture.blob(cube, new byte[300_000]).close();
            assertThat(CubeFixture.readRange(reader, 0, reader.bytes())).isEqualTo(content);
        }
    }

    @Test
    void deadSegmentsAreFreedWithoutBeingAsked() throws IOException {
        cube.close();
        fixture.flushesInBackground = true;
        cube = fixture.open();
        int round = 0;
        while (freed.isEmpty()) {
            List<String> keys = fillHead("r" + round++ + "-");
            deleteAll(keys);
            if (round > 200) {
                throw new UncheckedIOException(new IOException("nothing is ever freed"));
            }
        }
        assertThat(freed).isNotEmpty();
    }
}
