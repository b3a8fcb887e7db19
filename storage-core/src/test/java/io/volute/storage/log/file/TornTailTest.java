package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.PAGE;
import static io.volute.storage.log.file.LogWorkbench.SECTOR;
import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.replay;
import static io.volute.storage.log.file.LogWorkbench.start;
import static io.volute.storage.log.file.LogWorkbench.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.Operation;
import io.volute.testkit.sim.SimEvent;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.testkit.sim.SimulatedCrash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tail that was never acknowledged is cut; damage to acknowledged data is reported. */
@Tag("slow")
class TornTailTest {
    private static final Path HEAD = LogWorkbench.DIRECTORY.resolve("00000000000000000001.head");

    private final SimFileSystem files = new SimFileSystem();
    private long secondBegin;
    private long lastBegin;
    private long lastEnd;

    /** Three batches, the last begins in the page of the others; not closed, as after a crash. */
    private void threeBatches() throws IOException {
        SegmentLog log = started(files);
        secondBegin = log.append(List.of(record(1, 300)), 1).end().offset();
        lastBegin = log.append(List.of(record(2, 300), record(3, 100)), 3).end().offset();
        lastEnd = log.append(List.of(record(4, 3000), record(5, 3000)), 5).end().offset();
        assertThat(lastBegin).isLessThan(2L * PAGE);
        assertThat(lastEnd).isGreaterThan(2L * PAGE);
    }

    /** Reopens a damaged copy, and checks that the log ends before the last batch. */
    private void assertCut(SimFileSystem damaged, String what) throws IOException {
        LogPosition end = new LogPosition(1, lastBegin);
        LogWorkbench.Seen seen = replay(LogWorkbench.open(damaged), LogPosition.START);
        assertThat(seen.sequences()).as(what).containsExactly(1L, 2L, 3L);
        assertThat(seen.result().end()).as(what).isEqualTo(end);
    }

    /** Checks that the log goes on as if the last batch had not been. */
    private static void assertGoesOn(SimFileSystem damaged, String what) throws IOException {
        SegmentLog log = LogWorkbench.open(damaged);
        start(log);
        log.append(List.of(record(6, 10)), 6);
        SegmentLog after = LogWorkbench.open(damaged.afterPowerCut());
        assertThat(replay(after, LogPosition.START).sequences())
                .as(what)
                .containsExactly(1L, 2L, 3L, 6L);
    }

    @Test
    void cutsATailTornAtAnyByte() throws IOException {
        threeBatches();
        byte[] whole = files.bytes(HEAD);
        int encoded = encodedEnd(whole);
        for (int cut = (int) lastBegin; cut < encoded; cut++) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, cut, (int) lastEnd, (byte) 0);
            if (Arrays.equals(torn, whole)) {
                continue;
            }
            SimFileSystem damaged = files.afterKill();
            damaged.overwrite(HEAD, 0, torn);
            assertCut(damaged, "zeros from " + cut);
            if (cut % 32 == 0) {
                assertGoesOn(damaged, "zeros from " + cut);
            }
        }
    }

    /** Offset behind the last byte of the last batch that is not zero. */
    private int encodedEnd(byte[] whole) {
        int end = (int) lastEnd;
        while (whole[end - 1] == 0) {
            end--;
        }
        return end;
    }

    @Test
    void cutsATailGarbledAtAnyByte() throws IOException {
        threeBatches();
        long seed = 11;
        SplittableRandom random = new SplittableRandom(seed);
        byte[] whole = files.bytes(HEAD);
        int encoded = encodedEnd(whole);
        for (int at = (int) lastBegin; at < encoded; at++) {
            byte[] garbled = whole.clone();
            garbled[at] ^= (byte) (1 + random.nextInt(255));
            SimFileSystem damaged = files.afterKill();
            damaged.overwrite(HEAD, 0, garbled);
            assertCut(damaged, "seed " + seed + ", garbled at " + at);
            if (at % 32 == 0) {
                assertGoesOn(damaged, "seed " + seed + ", garbled at " + at);
            }
        }
    }

    @Test
    void tellsHowMuchWasTornWhenTheHeaderSurvived() throws IOException {
        threeBatches();
        files.flipBit(HEAD, (int) lastEnd - PAGE, 0);
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).result().tornBytes())
                .isEqualTo(lastEnd - lastBegin);
    }

    /** The bytes behind it must not be taken for a later batch. */
    @Test
    void cutsATailWhoseFirstSectorIsMissing() throws IOException {
        threeBatches();
        files.overwrite(HEAD, lastBegin, new byte[SECTOR]);
        assertCut(files, "first sector missing");
        assertGoesOn(files, "first sector missing");
    }

    @Test
    void cuttingCanBeKilledAndRepeated() throws IOException {
        threeBatches();
        files.flipBit(HEAD, (int) lastBegin + 100, 0);
        SimFileSystem torn = files.afterKill();
        SimFileSystem whole = torn.afterKill();
        List<SimEvent> events = whole.record();
        start(LogWorkbench.open(whole));
        assertThat(events).hasSizeGreaterThan(3);
        for (SimEvent event : events) {
            SimFileSystem attempt = torn.afterKill();
            attempt.plan(Fault.once(Effect.CRASH_BEFORE, event.number()));
            assertThatThrownBy(() -> start(LogWorkbench.open(attempt)))
                    .isInstanceOf(SimulatedCrash.class);
            assertGoesOn(attempt.afterKill(), "killed before " + event);
            assertGoesOn(attempt.afterPowerCut(), "power cut before " + event);
        }
    }

    @Test
    void everyFlippedBitInTheDurableRangeIsTold() throws IOException {
        threeBatches();
        byte[] whole = files.bytes(HEAD);
        int found = 0;
        for (int at = PAGE; at < lastBegin; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << (at % 8));
            SimFileSystem damaged = files.afterKill();
            damaged.overwrite(HEAD, 0, flipped);
            if (isPadding(whole, at)) {
                assertThat(replay(LogWorkbench.open(damaged), LogPosition.START).sequences())
                        .containsExactly(1L, 2L, 3L, 4L, 5L);
            } else {
                found++;
                assertThatThrownBy(() -> replay(LogWorkbench.open(damaged), LogPosition.START))
                        .as("bit %s of byte %s", at % 8, at)
                        .isInstanceOf(DamagedException.class)
                        .hasMessageContaining("00000000000000000001.head");
            }
        }
        assertThat(found).isGreaterThan(600);
    }

    private static boolean isPadding(byte[] bytes, int at) {
        int begin = batchAround(bytes, at);
        return at >= begin + batchBytes(bytes, begin);
    }

    /** Begin of the batch that covers this offset; walks by the lengths in the batch headers. */
    private static int batchAround(byte[] bytes, long at) {
        int begin = PAGE;
        int next = begin;
        while (next <= at) {
            begin = next;
            next = (begin + batchBytes(bytes, begin) + SECTOR - 1) / SECTOR * SECTOR;
        }
        return begin;
    }

    private static int batchBytes(byte[] bytes, int begin) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(begin + 12);
    }

    @Test
    void everyFlippedBitOfASegmentHeaderIsTold() throws IOException {
        threeBatches();
        for (int bit = 0; bit < PAGE * 8; bit += 7) {
            SimFileSystem damaged = files.afterKill();
            damaged.flipBit(HEAD, bit / 8, bit % 8);
            assertThatThrownBy(() -> replay(LogWorkbench.open(damaged), LogPosition.START))
                    .as("bit %s", bit)
                    .isInstanceOf(DamagedException.class);
        }
    }

    @Test
    void damageToTheLastBatchAfterACleanEndIsNoTornTail() throws IOException {
        SegmentLog log = started(files);
        long end = log.append(List.of(record(1, 300)), 1).end().offset();
        log.close();
        int begin = batchAround(files.bytes(HEAD), end - 1);
        files.flipBit(HEAD, begin + 60, 0);
        assertThatThrownBy(() -> replay(LogWorkbench.open(files), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("at offset " + begin);
    }

    @Test
    void acceptedDamageIsCollectedAndTheRestIsSeen() throws IOException {
        threeBatches();
        files.flipBit(HEAD, batchAround(files.bytes(HEAD), secondBegin - 1) + 70, 0);
        SegmentLog log =
                SegmentLogs.open(
                        LogWorkbench.options(
                                files, LogWorkbench.DIRECTORY, OnDamage.ACCEPT_READ_ONLY));
        LogWorkbench.Seen seen = replay(log, LogPosition.START);
        assertThat(seen.sequences()).containsExactly(2L, 3L, 4L, 5L);
        assertThat(seen.result().damages())
                .singleElement()
                .asString()
                .contains("00000000000000000001.head", "1 entries from sequence 1");
        assertThatThrownBy(() -> log.startAppending(seen.result().end(), 6))
                .isInstanceOf(CubeUnavailableException.class);
    }

    @Test
    void aTornLastBatchDoesNotHideDamageBeforeIt() throws IOException {
        threeBatches();
        files.flipBit(HEAD, (int) secondBegin + 70, 0);
        files.flipBit(HEAD, (int) lastBegin + SECTOR + 70, 0);
        assertThatThrownBy(() -> replay(LogWorkbench.open(files), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("at offset " + secondBegin);
    }

    @Test
    void damageInASealedSegmentIsToldUpToItsLastBatch() throws IOException {
        SegmentLog log = started(files);
        LogWorkbench.fillHead(log, 1);
        long end = log.segments().get(0).writtenBytes();
        int begin = batchAround(files.bytes(HEAD), end - 1);
        files.flipBit(HEAD, begin + 60, 0);
        assertThatThrownBy(() -> replay(LogWorkbench.open(files), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("00000000000000000001.head at offset " + begin);
    }

    /** The bytes behind the sealed length of a segment are never read. */
    @Test
    void garbageBehindASealedSegmentIsIgnored() throws IOException {
        SegmentLog log = started(files);
        long next = LogWorkbench.fillHead(log, 1);
        long end = log.segments().get(0).writtenBytes();
        byte[] garbage = new byte[LogWorkbench.SEGMENT_BYTES - (int) end];
        Arrays.fill(garbage, (byte) 0x5A);
        files.overwrite(HEAD, end, garbage);
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).sequences())
                .hasSize((int) next - 1);
    }

    @Test
    void missingShortAndForeignSegmentsAreTold() throws IOException {
        SegmentLog log = started(files);
        LogWorkbench.fillHead(log, 1);
        SimFileSystem missing = files.afterKill();
        missing.delete(HEAD);
        assertThatThrownBy(() -> replay(LogWorkbench.open(missing), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("missing");
        SimFileSystem cut = files.afterKill();
        cut.truncate(HEAD, 30_000);
        assertThatThrownBy(() -> replay(LogWorkbench.open(cut), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("30000 bytes long");
        SimFileSystem foreign = files.afterKill();
        SimFileSystem other = new SimFileSystem();
        LogOptions options = LogWorkbench.options(other, LogWorkbench.DIRECTORY, OnDamage.REFUSE);
        start(
                SegmentLogs.open(
                        new LogOptions(
                                options.directory(),
                                other,
                                new java.util.UUID(1, 2),
                                options.clock(),
                                options.settings(),
                                options.spareMaker())));
        foreign.overwrite(HEAD, 0, other.bytes(HEAD));
        assertThatThrownBy(() -> replay(LogWorkbench.open(foreign), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("belongs to cube");
    }

    @Test
    void aLaterFormatVersionIsRefusedWithAdvice() throws IOException {
        threeBatches();
        byte[] bytes = files.bytes(HEAD);
        bytes[12] = 3;
        java.util.zip.CRC32C checksum = new java.util.zip.CRC32C();
        checksum.update(bytes, 0, 8);
        checksum.update(bytes, 12, PAGE - 12);
        for (int i = 0; i < 4; i++) {
            bytes[8 + i] = (byte) (checksum.getValue() >>> (8 * i));
        }
        files.overwrite(HEAD, 0, bytes);
        assertThatThrownBy(() -> LogWorkbench.open(files))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 3")
                .hasMessageContaining("release");
    }

    /** A kill leaves bytes in the page cache only; what a replay shows must be durable. */
    @Test
    void whatAReplayShowsHasBeenForced() throws IOException {
        SegmentLog log = started(files);
        log.append(List.of(record(1, 10)), 1);
        files.plan(Fault.sticky(Effect.IO_ERROR, 1).on(Operation.FORCE));
        assertThatThrownBy(() -> log.append(List.of(record(2, 10)), 2))
                .isInstanceOf(IOException.class);
        files.clearFaults();
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).sequences())
                .containsExactly(1L, 2L);
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .containsExactly(1L, 2L);
    }

    /** The same for names: a head that was renamed, but whose directory was not forced. */
    @Test
    void theNamesAStartReliesOnHaveBeenForced() throws IOException {
        SegmentLog log = started(files);
        boolean[] named = {false};
        files.observe(event -> named[0] |= event.name().equals("00000000000000000002.head"));
        files.plan(
                Fault.sticky(Effect.IO_ERROR, 1)
                        .on(Operation.FORCE_DIRECTORY)
                        .where(event -> named[0]));
        assertThatThrownBy(() -> LogWorkbench.fillHead(log, 1)).isInstanceOf(IOException.class);
        files.clearFaults();
        files.limitFree(0); // No spare is made, which would force the directory too.
        SegmentLog again = LogWorkbench.open(files);
        start(again);
        long sequence = 1_000;
        assertThat(again.append(List.of(record(sequence, 10)), 1).end().segmentId()).isEqualTo(2);
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .endsWith(sequence);
    }
}
