package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.replay;
import static io.volute.storage.log.file.LogWorkbench.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.io.DurableDirectories;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A head that a release of format version 1 wrote and closed: its batches begin on pages. The file
 * holds {@link TornTailTest}'s three batches, and is cut behind its end mark.
 */
class EarlierHeadTest {
    private static final Path HEAD = LogWorkbench.DIRECTORY.resolve("00000000000000000001.head");
    private static final int LAST_BEGIN = 4 * LogWorkbench.PAGE;
    private static final int LAST_END = 6 * LogWorkbench.PAGE;

    private final SimFileSystem files = new SimFileSystem();

    private byte[] oldHead() throws IOException {
        try (InputStream file = EarlierHeadTest.class.getResourceAsStream("/format/v1/head.bin")) {
            byte[] head = Arrays.copyOf(file.readAllBytes(), LogWorkbench.SEGMENT_BYTES);
            DurableDirectories.create(files, LogWorkbench.DIRECTORY);
            files.create(HEAD).close();
            files.overwrite(HEAD, 0, head);
            files.forceDirectory(LogWorkbench.DIRECTORY);
            return head;
        }
    }

    @Test
    void isReadAndGetsNothingMore() throws IOException {
        byte[] old = oldHead();
        SegmentLog log = LogWorkbench.open(files);
        assertThat(start(log).sequences()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(log.segments().get(0).writtenBytes()).isEqualTo(LAST_END);
        assertThat(log.append(List.of(record(6, 10)), 6).end().segmentId()).isEqualTo(2);
        assertThat(files.bytes(HEAD)).isEqualTo(old);
        SegmentLog again = LogWorkbench.open(files.afterPowerCut());
        assertThat(replay(again, LogPosition.START).sequences())
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void itsTornTailIsCut() throws IOException {
        byte[] torn = oldHead();
        Arrays.fill(torn, LAST_BEGIN + 100, torn.length, (byte) 0);
        files.overwrite(HEAD, 0, torn);
        SegmentLog log = LogWorkbench.open(files);
        LogWorkbench.Seen seen = start(log);
        assertThat(seen.sequences()).containsExactly(1L, 2L, 3L);
        assertThat(seen.result().tornBytes()).isEqualTo(LAST_END - LAST_BEGIN);
        log.append(List.of(record(6, 10)), 6);
        assertThat(replay(LogWorkbench.open(files.afterPowerCut()), LogPosition.START).sequences())
                .containsExactly(1L, 2L, 3L, 6L);
    }

    /** Reads the log without space for a new head, and goes on when there is space. */
    @Test
    void isReadOnAFullDisk() throws IOException {
        byte[] old = oldHead();
        files.limitFree(0);
        SegmentLog log = LogWorkbench.open(files);
        assertThat(start(log).sequences()).hasSize(5);
        files.limitCapacity(1L << 40);
        assertThat(log.append(List.of(record(6, 10)), 6).end().segmentId()).isEqualTo(2);
        assertThat(files.bytes(HEAD)).isEqualTo(old);
    }
}
