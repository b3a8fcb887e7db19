package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.SEGMENT_BYTES;
import static io.volute.storage.log.file.LogWorkbench.fillHead;
import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.replay;
import static io.volute.storage.log.file.LogWorkbench.start;
import static io.volute.storage.log.file.LogWorkbench.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.cube.MeteredFileSystem;
import io.volute.storage.format.LogEntry;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.Operation;
import io.volute.testkit.sim.SimEvent;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentLogTest {
    private final SimFileSystem files = new SimFileSystem();

    @Test
    void aNewLogIsEmptyAndTakesAppends() throws IOException {
        SegmentLog log = LogWorkbench.open(files);
        assertThat(log.segments()).isEmpty();
        LogWorkbench.Seen seen = start(log);
        assertThat(seen.entries()).isEmpty();
        assertThat(seen.result().end()).isEqualTo(LogPosition.START);
        SegmentLog.Appended appended = log.append(List.of(record(1, 10), record(2, 20)), 7);
        assertThat(appended.places()).hasSize(2);
        assertThat(appended.end().segmentId()).isEqualTo(1);
        assertThat(log.counters().batches()).isEqualTo(1);
        log.close();
    }

    @Test
    void replaysAcrossSegmentsInOrderAfterReopening() throws IOException {
        SegmentLog log = started(files);
        long next = 1;
        for (int i = 0; i < 5; i++) {
            next = fillHead(log, next);
        }
        log.close();
        LogWorkbench.Seen seen = replay(LogWorkbench.open(files), LogPosition.START);
        assertThat(seen.sequences())
                .containsExactlyElementsOf(LongStream.range(1, next).boxed().toList());
        assertThat(seen.result().tornBytes()).isZero();
        assertThat(seen.result().damages()).isEmpty();
    }

    @Test
    void replaysFromAPosition() throws IOException {
        SegmentLog log = started(files);
        fillHead(log, 1);
        LogPosition middle = log.append(List.of(record(100, 10)), 100).end();
        log.append(List.of(record(101, 10)), 101);
        fillHead(log, 102);
        log.close();
        List<Long> sequences = replay(LogWorkbench.open(files), middle).sequences();
        assertThat(sequences.get(0)).isEqualTo(101);
        assertThat(sequences).isSorted().doesNotContain(100L);
    }

    @Test
    void aReplayFromTheEndShowsNothing() throws IOException {
        SegmentLog log = started(files);
        LogPosition end = log.append(List.of(record(1, 10)), 1).end();
        log.close();
        LogWorkbench.Seen seen = replay(LogWorkbench.open(files), end);
        assertThat(seen.entries()).isEmpty();
        assertThat(seen.result().end()).isEqualTo(end);
        assertThat(seen.result().bytes()).isZero();
    }

    @Test
    void refusesAnIndexThatIsAheadOfTheLog() throws IOException {
        SegmentLog log = started(files);
        LogPosition end = log.append(List.of(record(1, 10)), 1).end();
        log.close();
        SegmentLog again = LogWorkbench.open(files);
        LogPosition ahead = new LogPosition(end.segmentId(), end.offset() + 4096);
        assertThatThrownBy(() -> replay(again, ahead))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("acknowledged entries are missing");
        assertThatThrownBy(() -> replay(again, new LogPosition(9, 4096)))
                .isInstanceOf(DamagedException.class);
    }

    @Test
    void keepsTheIdHighWaterWhenAllThatCarriedItIsFreed() throws IOException {
        SegmentLog log = started(files);
        fillHead(log, 1);
        log.append(List.of(record(500, 10)), 9_999);
        fillHead(log, 501);
        List<Long> old =
                log.segments().stream()
                        .filter(SegmentLog.SegmentState::sealed)
                        .map(SegmentLog.SegmentState::segmentId)
                        .toList();
        log.free(old);
        log.close();
        long[] highest = {0};
        LogWorkbench.open(files)
                .scanAll(batch -> highest[0] = Math.max(highest[0], batch.idHighWater()));
        assertThat(highest[0]).isEqualTo(9_999);
    }

    @Test
    void goesOnInTheSameHeadAfterRestarts() throws IOException {
        for (long i = 1; i <= 4; i++) {
            SegmentLog log = started(files);
            assertThat(log.append(List.of(record(i, 10)), i).end().segmentId()).isEqualTo(1);
            log.close();
        }
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).sequences())
                .containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void readsEntriesByPlace() throws IOException {
        SegmentLog log = started(files);
        ByteBuffer content = LogWorkbench.bytes(5, 2000);
        List<Place> places =
                log.append(
                                List.of(
                                        new LogEntry.InlineBlob(1, 42, content.duplicate()),
                                        record(2, 100)),
                                42)
                        .places();
        LogEntry.RecordPut put = (LogEntry.RecordPut) log.readEntry(places.get(1));
        assertThat(put.detail()).isEqualTo(((LogEntry.RecordPut) record(2, 100)).detail());
        ByteBuffer target = ByteBuffer.allocate(log.inlineBufferBytes(places.get(0)));
        log.readInline(places.get(0), 42, target);
        assertThat(target).isEqualTo(content);
        assertThatThrownBy(() -> log.readInline(places.get(0), 43, target))
                .isInstanceOf(DamagedException.class);
        assertThatThrownBy(() -> log.readEntry(new Place(1, places.get(1).offset() + 1, 50)))
                .isInstanceOf(DamagedException.class);
        assertThatThrownBy(() -> log.readEntry(new Place(1, SEGMENT_BYTES - 4, 50)))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("does not fit");
        assertThatThrownBy(() -> log.readEntry(new Place(77, 4096, 50)))
                .isInstanceOf(SegmentGoneException.class);
        assertThat(log.counters().damages()).isEqualTo(3);
        log.close();
    }

    @Test
    void takesBatchesUpToTheLimitAndNoLargerOnes() throws IOException {
        SegmentLog log = started(files);
        int fixed = log.encodedBytes(record(1, 40_000)) - 40_000;
        LogEntry largest = record(1, log.batchBytesMax() - fixed);
        assertThat(log.encodedBytes(largest)).isEqualTo(log.batchBytesMax());
        Place place = log.append(List.of(largest), 1).places().get(0);
        assertThat(log.readEntry(place)).isInstanceOf(LogEntry.RecordPut.class);
        log.append(List.of(record(2, log.batchBytesMax() - fixed)), 1);
        LogEntry tooLarge = record(3, log.batchBytesMax() - fixed + 1);
        assertThatThrownBy(() -> log.append(List.of(tooLarge), 1))
                .isInstanceOf(IllegalArgumentException.class);
        log.append(List.of(record(3, 1)), 1);
        log.close();
    }

    @Test
    void forcesOncePerAppendAndBeforeItReturns() throws IOException {
        SegmentLog log = started(files);
        log.append(List.of(record(1, 10)), 1);
        List<SimEvent> events = files.record();
        log.append(List.of(record(2, 10), record(3, 5000)), 1);
        assertThat(events)
                .extracting(SimEvent::operation)
                .containsExactly(Operation.WRITE, Operation.FORCE);
        assertThat(events.get(0).isWriteFor(WriteCause.CLIENT_DATA)).isTrue();
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .containsExactly(1L, 2L, 3L);
    }

    @Test
    void aNewHeadIsNamedOnlyWhenItsDigestIsDurable() throws IOException {
        SegmentLog log = started(files);
        fillHead(log, 1);
        List<SimEvent> events = files.record();
        fillHead(log, 1000);
        List<String> names = events.stream().map(SimEvent::name).toList();
        int rename = names.indexOf("00000000000000000003.head");
        assertThat(events.subList(rename - 2, rename + 2))
                .extracting(SimEvent::operation)
                .containsExactly(
                        Operation.WRITE,
                        Operation.FORCE,
                        Operation.RENAME,
                        Operation.FORCE_DIRECTORY);
        assertThat(events.get(rename - 2).isWriteFor(WriteCause.DIGEST)).isTrue();
        assertThat(events.get(rename - 1).path()).isEqualTo(events.get(rename).path());
    }

    @Test
    void aFailedForceIsFinalForTheLog() throws IOException {
        SegmentLog log = started(files);
        log.append(List.of(record(1, 10)), 1);
        files.plan(Fault.sticky(Effect.IO_ERROR, 1).on(Operation.FORCE));
        assertThatThrownBy(() -> log.append(List.of(record(2, 10)), 1))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("restart");
        files.clearFaults();
        assertThatThrownBy(() -> log.append(List.of(record(3, 10)), 1))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(CubeUnavailableException.Reason.READ_ONLY))
                .hasMessageContaining("Input/output error");
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .containsExactly(1L);
    }

    @Test
    void aClosedLogTakesNothing() throws IOException {
        SegmentLog log = started(files);
        log.close();
        log.close();
        assertThatThrownBy(() -> log.append(List.of(record(3, 10)), 1))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(CubeUnavailableException.Reason.CLOSED));
    }

    @Test
    void appendingBeginsOnlyWhereTheReplayEnded() throws IOException {
        SegmentLog log = LogWorkbench.open(files);
        assertThatThrownBy(() -> log.startAppending(LogPosition.START, 1))
                .isInstanceOf(IllegalStateException.class);
        replay(log, LogPosition.START);
        assertThatThrownBy(() -> log.startAppending(new LogPosition(1, 4096), 1))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.append(List.of(record(1, 1)), 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void worksOnARealDirectoryAndCountsPaddingApart(@TempDir Path directory) throws IOException {
        AtomicLong time = new AtomicLong();
        MeteredFileSystem metered =
                new MeteredFileSystem(new OsFileSystem(), time::incrementAndGet);
        LogOptions options =
                new LogOptions(
                        directory.resolve("new/log"),
                        metered,
                        LogWorkbench.CUBE,
                        () -> java.time.Instant.EPOCH,
                        LogWorkbench.settings(OnDamage.REFUSE));
        SegmentLog log = SegmentLogs.open(options);
        start(log);
        LogEntry entry = record(1, 100);
        log.append(List.of(entry), 1);
        long client = 48L + log.encodedBytes(entry);
        // Each force takes a tick of this clock, and more where another thread forces meanwhile.
        assertThat(metered.forces().get(WriteCause.CLIENT_DATA).total()).isEqualTo(1);
        assertThat(metered.forces().get(WriteCause.CLIENT_DATA).sum()).isPositive();
        assertThat(metered.forces().get(WriteCause.CLEANING).total()).isZero();
        assertThat(metered.bytesWritten())
                .containsEntry(WriteCause.CLIENT_DATA, client)
                .containsEntry(WriteCause.CLEANING, 0L);
        assertThat(metered.bytesWritten().get(WriteCause.PADDING)).isGreaterThan(4096 - client);
        long next = fillHead(log, 2);
        ByteBuffer content = LogWorkbench.bytes(3, 23_456);
        List<Place> extents = LogWorkbench.upload(log, 9, content, 777);
        log.append(List.of(record(next, 1)), 9);
        log.close();
        SegmentLog again = SegmentLogs.open(options);
        assertThat(start(again).sequences()).hasSize((int) next);
        assertThat(LogWorkbench.download(again, 9, extents, 23_456)).isEqualTo(content);
        assertThat(again.segments())
                .anySatisfy(segment -> assertThat(segment.kind()).isEqualTo(Kind.STREAM));
        again.close();
    }
}
