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

    private final PowerCutFileSystem files = new PowerCutFileSystem();
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
    private void assertCut(PowerCutFileSystem damaged, String what) throws IOException {
        LogPosition end = new LogPosition(1, lastBegin);
        LogWorkbench.Seen seen = replay(LogWorkbench.open(damaged), LogPosition.START);
        assertThat(seen.sequences()).as(what).containsExactly(1L, 2L, 3L);
        assertThat(seen.result().end()).as(what).isEqualTo(end);
    }

    /** Checks that the log goes on as if the last batch had not been. */
    private static void assertGoesOn(PowerCutFileSystem damaged, String what) throws IOException {
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
        byte[] whole = files.bytes(HEAD).clone();
        int encoded = encodedEnd(whole);
        for (int cut = (int) lastBegin; cut < encoded; cut++) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, cut, (int) lastEnd, (byte) 0);
            if (Arrays.equals(torn, whole)) {
                continue;
            }
            PowerCutFileSystem damaged = files.copy();
            damaged.setBytes(HEAD, torn);
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
        byte[] whole = files.bytes(HEAD).clone();
        int encoded = encodedEnd(whole);
        for (int at = (int) lastBegin; at < encoded; at++) {
            byte[] garbled = whole.clone();
            garbled[at] ^= (byte) (1 + random.nextInt(255));
            PowerCutFileSystem damaged = files.copy();
            damaged.setBytes(HEAD, garbled);
            assertCut(damaged, "seed " + seed + ", garbled at " + at);
            if (at % 32 == 0) {
                assertGoesOn(damaged, "seed " + seed + ", garbled at " + at);
            }
        }
    }

    @Test
    void tellsHowMuchWasTornWhenTheHeaderSurvived() throws IOException {
        threeBatches();
        files.bytes(HEAD)[(int) lastEnd - PAGE] ^= 1;
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).result().tornBytes())
                .isEqualTo(lastEnd - lastBegin);
    }

    /** The bytes behind it must not be taken for a later batch. */
    @Test
    void cutsATailWhoseFirstSectorIsMissing() throws IOException {
        threeBatches();
        Arrays.fill(files.bytes(HEAD), (int) lastBegin, (int) lastBegin + SECTOR, (byte) 0);
        assertCut(files, "first sector missing");
        assertGoesOn(files, "first sector missing");
    }

    @Test
    void cuttingCanBeKilledAndRepeated() throws IOException {
        threeBatches();
        files.bytes(HEAD)[(int) lastBegin + 100] ^= 1;
        PowerCutFileSystem torn = files.copy();
        int events = 0;
        boolean killed = true;
        while (killed) {
            PowerCutFileSystem attempt = torn.copy();
            int allowed = events;
            int[] seen = {0};
            attempt.hook(
                    event -> {
                        if (seen[0]++ >= allowed) {
                            throw new IOException("killed before " + event);
                        }
                    });
            try {
                SegmentLog log = LogWorkbench.open(attempt);
                start(log);
                killed = false;
            } catch (IOException e) {
                attempt.hook(event -> {});
                assertGoesOn(attempt.copy(), "killed at event " + events);
                assertGoesOn(attempt.afterPowerCut(), "power cut at event " + events);
            }
            events++;
        }
        assertThat(events).isGreaterThan(3);
    }

    @Test
    void everyFlippedBitInTheDurableRangeIsTold() throws IOException {
        threeBatches();
        byte[] whole = files.bytes(HEAD).clone();
        int found = 0;
        for (int at = PAGE; at < lastBegin; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << (at % 8));
            PowerCutFileSystem damaged = files.copy();
            damaged.setBytes(HEAD, flipped);
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
            PowerCutFileSystem damaged = files.copy();
            damaged.bytes(HEAD)[bit / 8] ^= (byte) (1 << (bit % 8));
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
        files.bytes(HEAD)[begin + 60] ^= 1;
        assertThatThrownBy(() -> replay(LogWorkbench.open(files), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("at offset " + begin);
    }

    @Test
    void acceptedDamageIsCollectedAndTheRestIsSeen() throws IOException {
        threeBatches();
        files.bytes(HEAD)[batchAround(files.bytes(HEAD), secondBegin - 1) + 70] ^= 1;
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
        files.bytes(HEAD)[(int) secondBegin + 70] ^= 1;
        files.bytes(HEAD)[(int) lastBegin + SECTOR + 70] ^= 1;
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
        files.bytes(HEAD)[begin + 60] ^= 1;
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
        byte[] bytes = files.bytes(HEAD);
        Arrays.fill(bytes, (int) end, bytes.length, (byte) 0x5A);
        assertThat(replay(LogWorkbench.open(files), LogPosition.START).sequences())
                .hasSize((int) next - 1);
    }

    @Test
    void missingShortAndForeignSegmentsAreTold() throws IOException {
        SegmentLog log = started(files);
        LogWorkbench.fillHead(log, 1);
        PowerCutFileSystem missing = files.copy();
        missing.delete(HEAD);
        assertThatThrownBy(() -> replay(LogWorkbench.open(missing), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("missing");
        PowerCutFileSystem cut = files.copy();
        cut.setBytes(HEAD, Arrays.copyOf(cut.bytes(HEAD), 30_000));
        assertThatThrownBy(() -> replay(LogWorkbench.open(cut), LogPosition.START))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("30000 bytes long");
        PowerCutFileSystem foreign = files.copy();
        PowerCutFileSystem other = new PowerCutFileSystem();
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
        foreign.setBytes(HEAD, other.bytes(HEAD));
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
        files.hook(
                event -> {
                    if (event.startsWith("force ")) {
                        throw new IOException("killed");
                    }
                });
        assertThatThrownBy(() -> log.append(List.of(record(2, 10)), 2))
                .isInstanceOf(IOException.class);
        files.hook(event -> {});
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
        files.hook(
                event -> {
                    named[0] |= event.endsWith("00000000000000000002.head");
                    if (named[0] && event.equals("forceDirectory")) {
                        throw new IOException("killed");
                    }
                });
        assertThatThrownBy(() -> LogWorkbench.fillHead(log, 1)).isInstanceOf(IOException.class);
        files.hook(event -> {});
        files.usable(0); // No spare is made, which would force the directory too.
        SegmentLog again = LogWorkbench.open(files);
        start(again);
        long sequence = 1_000;
        assertThat(again.append(List.of(record(sequence, 10)), 1).end().segmentId()).isEqualTo(2);
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .endsWith(sequence);
    }
}
