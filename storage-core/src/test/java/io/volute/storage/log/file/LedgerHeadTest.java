package io.volute.storage.log.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CleaningSettings;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.ledger.LedgerSegmentStore;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.storage.log.space.SegmentReserve;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.storage.report.UnderReplication;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A head that has two copies, because a bookie was away when it was created. */
class LedgerHeadTest {
    private final SimBookies bookies = new SimBookies(3);
    private final LogOptions options = LogWorkbench.options(new SimFileSystem());
    private final LedgerSegmentStore store = bookies.store(options);
    private SegmentLog log;
    private long next = 1;

    @BeforeEach
    void beginWithTwoBookies() throws IOException {
        bookies.stop(1);
        log = SegmentLogs.open(options, store);
        assertThat(LogWorkbench.start(log).sequences()).isEmpty();
        append();
        assertThat(store.underReplication().segments()).isEqualTo(1);
    }

    private void append() throws IOException {
        log.append(List.of(LogWorkbench.record(next, 500)), next);
        next++;
    }

    /** An upload shows how many bookies take writes. */
    private void upload() throws IOException {
        LogWorkbench.upload(log, next, LogWorkbench.bytes(next, 5000), 5000);
        next++;
    }

    private List<Long> heads() {
        return log.segments().stream()
                .filter(each -> each.kind() == Kind.HEAD)
                .map(SegmentLog.SegmentState::segmentId)
                .toList();
    }

    @Test
    void isLeftWhenTheBookieIsBack() throws IOException {
        bookies.start(1);
        append();
        assertThat(heads()).containsExactly(1L);
        upload();
        append();
        assertThat(heads()).containsExactly(1L, 3L);
        assertThat(store.underReplication()).isEqualTo(UnderReplication.NONE);
        append();
        assertThat(heads()).containsExactly(1L, 3L);
    }

    @Test
    void isLeftOnceIfTheBookieGoesAgain() throws IOException {
        bookies.start(1);
        upload();
        bookies.stop(2);
        append();
        append();
        append();
        assertThat(heads()).containsExactly(1L, 3L);
        // The upload ended shortly before, so it may lack copies too.
        assertThat(store.underReplication().segments()).isEqualTo(3);
    }

    @Test
    void leavesTheReserveOfTheCleanerAlone() throws IOException {
        store.useReserve(new SegmentReserve(new CleaningSettings(1, 0, 0.1, 0.4, 2, 0.9, 3)));
        bookies.start(1);
        upload();
        bookies.leaveSpace(2 * LogWorkbench.SEGMENT_BYTES);
        append();
        assertThat(heads()).containsExactly(1L);
    }

    @Test
    void goesOnWithoutSpaceForAnother() throws IOException {
        bookies.start(1);
        upload();
        bookies.leaveSpace(0);
        append();
        assertThat(heads()).containsExactly(1L);
    }
}
