package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.SECTOR;
import static io.volute.storage.log.file.LogWorkbench.SEGMENT_BYTES;
import static io.volute.storage.log.file.LogWorkbench.fillHead;
import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.replay;
import static io.volute.storage.log.file.LogWorkbench.start;
import static io.volute.storage.log.file.LogWorkbench.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.Operation;
import io.volute.testkit.sim.SimEvent;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Freeing, pinning and recycling of segments, and running out of space. */
@Tag("slow")
class SegmentLifeTest {
    private static final String FIRST_HEAD = "00000000000000000001.head";
    private static final Path FIRST_HEAD_PATH = LogWorkbench.DIRECTORY.resolve(FIRST_HEAD);

    private final SimFileSystem files = new SimFileSystem();

    @Test
    void aFreedSegmentIsGoneAndItsFileIsUsedAgain() throws IOException {
        SegmentLog log = started(files);
        Place place = log.append(List.of(record(1, 10)), 1).places().get(0);
        long next = fillHead(log, 2);
        log.free(List.of(1L));
        assertThat(files.list(LogWorkbench.DIRECTORY)).doesNotContain(FIRST_HEAD);
        assertThat(log.segments())
                .extracting(SegmentLog.SegmentState::segmentId)
                .containsExactly(2L);
        assertThat(log.freeSegments()).isEqualTo(2);
        assertThatThrownBy(() -> log.readEntry(place)).isInstanceOf(SegmentGoneException.class);
        List<SimEvent> events = files.record();
        fillHead(log, next);
        assertThat(events).noneMatch(event -> event.isWriteFor(WriteCause.PREPARE));
        log.close();
    }

    /** The rule "not before a digest without it is durable": this fails when they are swapped. */
    @Test
    void aFileIsRecycledOnlyAfterTheDigestIsForced() throws IOException {
        SegmentLog log = started(files);
        fillHead(log, 1);
        List<SimEvent> events = files.record();
        log.free(List.of(1L));
        assertThat(events)
                .extracting(SimEvent::operation)
                .containsExactly(Operation.WRITE, Operation.FORCE, Operation.RENAME);
        assertThat(events.get(0).isWriteFor(WriteCause.DIGEST)).isTrue();
        Path head = LogWorkbench.DIRECTORY.resolve("00000000000000000002.head");
        assertThat(events).extracting(SimEvent::path).containsExactly(head, head, FIRST_HEAD_PATH);
        assertThat(events.get(2).name()).endsWith(".free");
    }

    @Test
    void aSegmentStaysWhenItsDigestFails() throws IOException {
        SegmentLog log = started(files);
        long next = fillHead(log, 1);
        files.plan(Fault.sticky(Effect.IO_ERROR, 1).on(Operation.FORCE));
        assertThatThrownBy(() -> log.free(List.of(1L)))
                .isInstanceOf(CubeUnavailableException.class);
        files.clearFaults();
        assertThat(files.list(LogWorkbench.DIRECTORY)).contains(FIRST_HEAD);
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .hasSize((int) next - 1);
    }

    /** A pass that has filled what it found free, and then finds no more, has freed nothing. */
    @Test
    void clientsDoNotTakeWhatAPassWillFill() throws IOException {
        long segment = LogWorkbench.SEGMENT_BYTES;
        CleaningSettings cleaning = new CleaningSettings(1, 20 * segment, 0.1, 0.4, 2, 0.9, 3);
        try (SegmentLog log = LogWorkbench.started(files, cleaning)) {
            long before = log.clientBytes();
            log.passBegins(7);
            assertThat(log.clientBytes()).isEqualTo(before - (8 - 3) * segment);
            try (SegmentLog.Mover mover = log.mover()) {
                mover.openSurvivor(List.of(1L), segment).close();
            }
            assertThat(log.clientBytes()).isEqualTo(before - (8 - 3) * segment);
            log.passEnded(7, 1);
            assertThat(log.clientBytes()).isEqualTo(before - segment);
            log.passBegins(2);
            assertThat(log.clientBytes()).isEqualTo(before - segment);
            log.passEnded(2, 0);
        }
    }

    @Test
    void aPinKeepsTheFileUntilTheLastOneIsClosed() throws IOException {
        SegmentLog log = started(files);
        Place place = log.append(List.of(record(1, 10)), 1).places().get(0);
        fillHead(log, 2);
        SegmentLog.Pin first = log.pin(List.of(1L, 2L));
        SegmentLog.Pin second = log.pin(List.of(1L));
        log.free(List.of(1L));
        assertThat(log.readEntry(place).sequence()).isEqualTo(1);
        first.close();
        first.close();
        assertThat(log.readEntry(place).sequence()).isEqualTo(1);
        assertThat(files.list(LogWorkbench.DIRECTORY)).contains(FIRST_HEAD);
        assertThatThrownBy(() -> log.pin(List.of(2L, 1L))).isInstanceOf(SegmentGoneException.class);
        second.close();
        assertThat(files.list(LogWorkbench.DIRECTORY)).doesNotContain(FIRST_HEAD);
        assertThatThrownBy(() -> log.readEntry(place)).isInstanceOf(SegmentGoneException.class);
    }

    @Test
    void aFreedSegmentThatWasPinnedAtACrashIsRecycledAtTheNextStart() throws IOException {
        SegmentLog log = started(files);
        fillHead(log, 1);
        SegmentLog.Pin pin = log.pin(List.of(1L));
        log.free(List.of(1L));
        SimFileSystem crashed = files.afterPowerCut();
        pin.close();
        assertThat(crashed.list(LogWorkbench.DIRECTORY)).contains(FIRST_HEAD);
        SegmentLog again = LogWorkbench.open(crashed);
        start(again);
        assertThat(crashed.list(LogWorkbench.DIRECTORY)).doesNotContain(FIRST_HEAD);
        assertThat(again.segments())
                .extracting(SegmentLog.SegmentState::segmentId)
                .containsExactly(2L);
    }

    @Test
    void onlySealedSegmentsOfTheLogCanBeFreed() throws IOException {
        SegmentLog log = started(files);
        assertThatThrownBy(() -> log.free(List.of(1L)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> log.free(List.of(7L))).isInstanceOf(SegmentGoneException.class);
        log.free(List.of());
    }

    /**
     * The same file lives many lives. After each crash nothing of an earlier one is seen, although
     * its batches lie at the very same offsets.
     */
    @Test
    void oldBytesOfARecycledFileNeverComeBack() throws IOException {
        SegmentLog log = started(files);
        long next = 1;
        for (int life = 0; life < 12; life++) {
            long from = next;
            next = fillHead(log, next);
            List<Long> sealed = new ArrayList<>();
            for (SegmentLog.SegmentState segment : log.segments()) {
                if (segment.sealed()) {
                    sealed.add(segment.segmentId());
                }
            }
            log.free(sealed);
            SegmentLog crashed = LogWorkbench.open(files.afterPowerCut());
            LogWorkbench.Seen seen = replay(crashed, LogPosition.START);
            assertThat(seen.sequences()).containsExactly(next - 1);
            assertThat(from).isLessThan(next);
        }
        assertThat(files.list(LogWorkbench.DIRECTORY).size()).isLessThan(5);
    }

    @Test
    void aCopyOfABatchInAnotherPlaceIsNotAccepted() throws IOException {
        SegmentLog log = started(files);
        long end = log.append(List.of(record(1, 10)), 1).end().offset();
        byte[] bytes = files.bytes(FIRST_HEAD_PATH);
        byte[] batch = Arrays.copyOfRange(bytes, (int) end - SECTOR, (int) end);
        files.overwrite(FIRST_HEAD_PATH, end, batch);
        LogWorkbench.Seen seen = replay(LogWorkbench.open(files), LogPosition.START);
        assertThat(seen.sequences()).containsExactly(1L);
        assertThat(seen.result().end().offset()).isEqualTo(end);
    }

    @Test
    void aRollWithoutSpaceFailsClearlyAndWorksAgainWithSpace() throws IOException {
        SegmentLog log = started(files);
        files.limitFree(SEGMENT_BYTES);
        long next = fillHead(log, 1);
        long sequence = next;
        long refused = appendUntilFull(log, sequence);
        assertThat(refused).isGreaterThan(sequence);
        LogPosition before = log.append(List.of(record(refused, 1)), refused).end();
        assertThat(before.segmentId()).isEqualTo(2);
        files.limitCapacity(1L << 40);
        assertThat(log.append(List.of(record(refused + 1, 3000)), 1).end().segmentId())
                .isEqualTo(3);
        log.close();
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).sequences())
                .hasSize((int) refused + 1);
    }

    /** A store that had filled its file system could not flush its index, and took no writes. */
    @Test
    void whatOthersNeedOfTheFileSystemIsLeftToThem() throws IOException {
        try (SegmentLog log = started(files)) {
            log.reserveForOthers(
                    priority ->
                            switch (priority) {
                                case CLIENT -> 3L * SEGMENT_BYTES - 1;
                                case DELETE -> 2L * SEGMENT_BYTES;
                                case LAST, CLEANER -> SEGMENT_BYTES;
                            });
            files.limitFree(6 * SEGMENT_BYTES);
            long spares = log.freeSegments();
            assertThat(log.clientBytes()).isEqualTo((spares + 3) * SEGMENT_BYTES);
            assertThat(log.deleteBytes()).isEqualTo((spares + 3) * SEGMENT_BYTES);
            assertThat(log.cleanerBytes()).isEqualTo((spares + 4) * SEGMENT_BYTES);
            files.limitFree(0);
            assertThat(log.clientBytes())
                    .as("spares take nothing from others")
                    .isEqualTo(spares * SEGMENT_BYTES);
        }
    }

    @Test
    void whatIsFreedIsGivenBackWhereOthersLackRoom() throws IOException {
        try (SegmentLog log = started(files)) {
            long next = fillHead(log, fillHead(log, fillHead(log, 1)));
            log.free(List.of(1L));
            assertThat(log.freeSegments()).isEqualTo(2);
            log.reserveForOthers(priority -> 2L * SEGMENT_BYTES);
            files.limitFree(2 * SEGMENT_BYTES);
            log.free(List.of(2L));
            assertThat(log.freeSegments()).as("of two more one goes").isEqualTo(2);
            assertThat(log.append(List.of(record(next, 3000)), 1).end().segmentId()).isPositive();
        }
    }

    /** Returns the sequence that was refused. */
    private static long appendUntilFull(SegmentLog log, long from) throws IOException {
        long sequence = from;
        while (true) {
            try {
                log.append(List.of(record(sequence, 5000)), sequence);
                sequence++;
            } catch (CubeUnavailableException e) {
                assertThat(e.reason()).isEqualTo(CubeUnavailableException.Reason.FULL);
                assertThat(e).hasMessageContaining("Free space");
                return sequence;
            }
        }
    }

    @Test
    void freeingWorksWhenTheDiskIsFull() throws IOException {
        SegmentLog log = started(files);
        files.limitFree(0);
        long next = fillHead(log, 1);
        long refused = appendUntilFull(log, next);
        while (true) {
            try {
                log.append(List.of(record(refused, 1)), refused);
                refused++;
            } catch (CubeUnavailableException e) {
                break;
            }
        }
        log.free(List.of(1L));
        assertThat(log.append(List.of(record(refused, 3000)), 1).end().segmentId()).isEqualTo(3);
    }

    @Test
    void aStartOnAFullDiskStillReads() throws IOException {
        SegmentLog log = started(files);
        long next = fillHead(log, 1);
        files.limitFree(0);
        long refused = appendUntilFull(log, next);
        SimFileSystem crashed = files.afterPowerCut();
        crashed.limitFree(0);
        for (int i = 0; i < 20; i++) {
            SegmentLog again = LogWorkbench.open(crashed);
            assertThat(start(again).sequences()).hasSize((int) refused - 1);
        }
    }

    @Test
    void noSpaceWhileMakingASpareLeavesNothingBehind() throws IOException {
        SegmentLog log = started(files);
        files.plan(
                Fault.sticky(Effect.NO_SPACE, 1)
                        .where(event -> event.isWriteFor(WriteCause.PREPARE)));
        long next = fillHead(log, 1);
        appendUntilFull(log, next);
        assertThat(files.list(LogWorkbench.DIRECTORY)).noneMatch(name -> name.endsWith(".prep"));
        log.close();
    }

    @Test
    void halfMadeSparesAreRemovedAtTheStart() throws IOException {
        started(files).close();
        files.create(LogWorkbench.DIRECTORY.resolve("00000000000000000077.prep")).close();
        files.create(LogWorkbench.DIRECTORY.resolve("00000000000000000078.free")).close();
        files.create(LogWorkbench.DIRECTORY.resolve("unrelated")).close();
        started(files).close();
        assertThat(files.list(LogWorkbench.DIRECTORY))
                .contains("unrelated")
                .noneMatch(name -> name.contains("77."))
                .noneMatch(name -> name.contains("78."));
    }

    @Test
    void aRollDoesNotWaitForZerosWhenASpareIsReady() throws IOException {
        List<Runnable> later = new ArrayList<>();
        Executor queue = later::add;
        SegmentLog log =
                SegmentLogs.open(
                        LogWorkbench.options(files, LogWorkbench.DIRECTORY, OnDamage.REFUSE)
                                .withSpareMaker(queue));
        start(log);
        long next = 1;
        for (int i = 0; i < 3; i++) {
            assertThat(later).hasSize(1);
            later.remove(0).run();
            assertThat(log.freeSegments()).isEqualTo(1);
            List<SimEvent> events = files.record();
            next = fillHead(log, next);
            assertThat(events).noneMatch(event -> event.isWriteFor(WriteCause.PREPARE));
        }
        List<SimEvent> events = files.record();
        fillHead(log, next);
        assertThat(events).anyMatch(event -> event.isWriteFor(WriteCause.PREPARE));
    }

    @Test
    void aGapInTheSegmentsAfterTheDigestIsDamage() throws IOException {
        SegmentLog log = started(files);
        LogWorkbench.upload(log, 1, LogWorkbench.bytes(1, 50_000), 5000);
        LogWorkbench.upload(log, 2, LogWorkbench.bytes(2, 50_000), 5000);
        files.delete(LogWorkbench.DIRECTORY.resolve("00000000000000000002.stream"));
        assertThatThrownBy(() -> replay(LogWorkbench.open(files), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("missing");
    }
}
