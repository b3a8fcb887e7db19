package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.CHUNK_BYTES;
import static io.volute.storage.log.file.LogWorkbench.PAGE;
import static io.volute.storage.log.file.LogWorkbench.bytes;
import static io.volute.storage.log.file.LogWorkbench.download;
import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.start;
import static io.volute.storage.log.file.LogWorkbench.started;
import static io.volute.storage.log.file.LogWorkbench.upload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.Operation;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamTest {
    private final SimFileSystem files = new SimFileSystem();

    @Test
    void readsBackBlobsOfEveryShape() throws IOException {
        SegmentLog log = started(files);
        int[] sizes = {
            0, 1, 4071, 4072, 4073, 4999, 5000, 5001, 10_000, 60_000, 61_440, 200_000, 333_333
        };
        long blob = 1;
        for (int size : sizes) {
            for (int step : new int[] {1 + size / 3, 4096, 100_000}) {
                ByteBuffer content = bytes(blob, size);
                List<Place> extents = upload(log, blob, content, step);
                assertThat(download(log, blob, extents, size)).isEqualTo(content);
                blob++;
            }
        }
        log.close();
    }

    @Test
    void takesBodiesOfUnknownOrWrongLength() throws IOException {
        SegmentLog log = started(files);
        for (OptionalLong expected :
                List.of(OptionalLong.empty(), OptionalLong.of(10), OptionalLong.of(500_000))) {
            ByteBuffer content = bytes(3, 123_456);
            List<Place> extents;
            try (SegmentLog.StreamAppender appender = log.openStream(3, expected)) {
                appender.write(content.duplicate());
                assertThat(appender.bytes()).isEqualTo(123_456);
                extents = appender.finish();
            }
            assertThat(download(log, 3, extents, 123_456)).isEqualTo(content);
        }
    }

    @Test
    void oneUploadAloneMakesOneExtentInASegment() throws IOException {
        SegmentLog log = started(files);
        List<Place> extents = upload(log, 1, bytes(1, 50_000), 3000);
        assertThat(extents).hasSize(1);
        assertThat(extents.get(0).offset()).isEqualTo(PAGE);
        assertThat(extents.get(0).bytes()).isEqualTo(50_000 + 10 * 24);
        assertThat(upload(log, 2, bytes(1, 5_000), 3000).get(0).offset() % PAGE).isZero();
    }

    @Test
    void everythingIsDurableWhenFinishReturns() throws IOException {
        SegmentLog log = started(files);
        ByteBuffer content = bytes(1, 150_000);
        List<Place> extents = upload(log, 1, content, 9000);
        assertThat(extents.stream().map(Place::segmentId).distinct().count()).isEqualTo(3);
        SegmentLog after = LogWorkbench.open(files.afterPowerCut());
        start(after);
        assertThat(download(after, 1, extents, 150_000)).isEqualTo(content);
        assertThat(after.segments())
                .filteredOn(segment -> segment.kind() == Kind.STREAM)
                .hasSize(3)
                .allSatisfy(segment -> assertThat(segment.sealed()).isTrue());
    }

    @Test
    void oldStreamSegmentsAreNotWrittenToAfterARestart() throws IOException {
        SegmentLog log = started(files);
        List<Place> before = upload(log, 1, bytes(1, 5000), 5000);
        log.close();
        SegmentLog again = started(files);
        List<Place> after = upload(again, 2, bytes(2, 5000), 5000);
        assertThat(after.get(0).segmentId()).isGreaterThan(before.get(0).segmentId());
    }

    @Test
    void refusesWrongIdentityAndFlippedBits() throws IOException {
        SegmentLog log = started(files);
        List<Place> extents = upload(log, 7, bytes(1, 12_000), 5000);
        ByteBuffer target = ByteBuffer.allocate(log.chunkBufferBytes(CHUNK_BYTES));
        assertThatThrownBy(() -> log.readChunk(8, extents, 12_000, CHUNK_BYTES, 0, target))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("blobId=8");
        assertThatThrownBy(() -> log.readChunk(7, extents, 12_001, CHUNK_BYTES, 2, target))
                .isInstanceOf(DamagedException.class);
        assertThatThrownBy(() -> log.readChunk(7, extents, 12_000, CHUNK_BYTES, 3, target))
                .isInstanceOf(IllegalArgumentException.class);
        long segment = extents.get(0).segmentId();
        Path stored =
                LogWorkbench.DIRECTORY.resolve(SegmentFileName.of(segment, Kind.STREAM).toString());
        int begin = (int) extents.get(0).offset();
        for (int at = begin; at < begin + CHUNK_BYTES + 24; at++) {
            files.flipBit(stored, at, at % 8);
            assertThatThrownBy(() -> log.readChunk(7, extents, 12_000, CHUNK_BYTES, 0, target))
                    .as("byte %s", at)
                    .isInstanceOf(DamagedException.class);
            files.flipBit(stored, at, at % 8);
        }
        log.readChunk(7, extents, 12_000, CHUNK_BYTES, 0, target);
        assertThat(log.counters().damages()).isEqualTo(2 + CHUNK_BYTES + 24);
    }

    @Test
    void tellsWhatAnAbandonedUploadTookAndSealsBehindIt() throws IOException {
        SegmentLog log = started(files);
        SegmentLog.StreamAppender first = log.openStream(1, OptionalLong.of(30_000));
        SegmentLog.StreamAppender second = log.openStream(2, OptionalLong.of(30_000));
        assertThat(first.abandoned()).isEmpty();
        first.write(bytes(1, 10_000));
        second.write(bytes(2, 10_000));
        assertThat(first.abandoned()).hasSize(1);
        long segment = first.abandoned().get(0).segmentId();
        // Fills the rest, so that another segment is begun.
        upload(log, 3, bytes(3, 40_000), 40_000);
        second.close();
        assertThat(isSealed(log, segment)).isFalse();
        assertThatThrownBy(() -> log.free(List.of(segment)))
                .isInstanceOf(IllegalArgumentException.class);
        first.close();
        first.close();
        assertThat(isSealed(log, segment)).isTrue();
        assertThatThrownBy(() -> first.write(bytes(1, 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(first.abandoned()).hasSize(1);
    }

    private static boolean isSealed(SegmentLog log, long segmentId) {
        return log.segments().stream()
                .anyMatch(segment -> segment.segmentId() == segmentId && segment.sealed());
    }

    @Test
    void givesBackWhatWasReservedAndNotUsed() throws IOException {
        SegmentLog log = started(files);
        try (SegmentLog.StreamAppender appender = log.openStream(1, OptionalLong.of(50_000))) {
            appender.write(bytes(1, 6_000));
            assertThat(appender.finish().get(0).bytes()).isEqualTo(6_048);
        }
        assertThat(upload(log, 2, bytes(2, 100), 100).get(0).offset()).isEqualTo(3 * PAGE);
    }

    @Test
    void noSpaceFailsTheUploadAndNotTheLog() throws IOException {
        SegmentLog log = started(files);
        files.plan(
                Fault.sticky(Effect.NO_SPACE, 1)
                        .where(
                                event ->
                                        event.name().endsWith(".stream")
                                                && event.isWriteFor(WriteCause.CLIENT_DATA)));
        assertThatThrownBy(() -> upload(log, 1, bytes(1, 20_000), 5000))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(CubeUnavailableException.Reason.FULL));
        log.append(List.of(record(1, 10)), 1);
        files.clearFaults();
        upload(log, 1, bytes(1, 20_000), 5000);
        files.limitFree(100);
        assertThatThrownBy(() -> upload(log, 1, bytes(1, 200_000), 5000))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("Free space");
        assertThat(files.list(LogWorkbench.DIRECTORY)).noneMatch(name -> name.endsWith(".prep"));
        log.append(List.of(record(2, 10)), 1);
    }

    @Test
    void aFailedForceIsFinal() throws IOException {
        SegmentLog log = started(files);
        files.plan(
                Fault.sticky(Effect.IO_ERROR, 1)
                        .on(Operation.FORCE)
                        .where(event -> event.name().endsWith(".stream")));
        assertThatThrownBy(() -> upload(log, 1, bytes(1, 20_000), 5000))
                .isInstanceOf(CubeUnavailableException.class);
        files.clearFaults();
        assertThatThrownBy(() -> upload(log, 1, bytes(1, 20_000), 5000))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("restart");
        assertThatThrownBy(() -> log.append(List.of(record(1, 10)), 1))
                .isInstanceOf(CubeUnavailableException.class);
    }

    @Test
    void manyConcurrentUploadsDoNotTouchEachOther(@TempDir Path directory) throws Exception {
        long seed = 5;
        SegmentLog log =
                SegmentLogs.open(
                        new LogOptions(
                                directory,
                                new OsFileSystem(),
                                LogWorkbench.CUBE,
                                () -> java.time.Instant.EPOCH,
                                LogWorkbench.settings(OnDamage.REFUSE)));
        start(log);
        record Upload(long blob, ByteBuffer content, List<Place> extents) {}
        List<Future<Upload>> futures = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 1; i <= 40; i++) {
                long blob = i;
                futures.add(
                        threads.submit(
                                () -> {
                                    SplittableRandom random = new SplittableRandom(seed + blob);
                                    ByteBuffer content = bytes(blob, random.nextInt(120_000));
                                    int step = 1 + random.nextInt(9_000);
                                    return new Upload(
                                            blob, content, upload(log, blob, content, step));
                                }));
            }
        }
        for (Future<Upload> future : futures) {
            Upload upload = future.get();
            assertThat(download(log, upload.blob, upload.extents, upload.content.remaining()))
                    .as("seed %s, blob %s", seed, upload.blob)
                    .isEqualTo(upload.content);
        }
        log.close();
    }
}
