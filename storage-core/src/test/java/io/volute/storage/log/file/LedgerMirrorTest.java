package io.volute.storage.log.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damage of a local mirror, whose bytes are on the bookies. */
class LedgerMirrorTest {
    private final SimFileSystem files = new SimFileSystem();
    private final SimBookies bookies = new SimBookies(3);
    private SegmentLog log = opened();
    private final Place place = append();

    private SegmentLog opened() {
        try {
            LogOptions options = LogWorkbench.options(files);
            SegmentLog opened = SegmentLogs.open(options, bookies.store(options));
            LogWorkbench.Seen seen = LogWorkbench.start(opened);
            assertThat(seen).isNotNull();
            return opened;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Place append() {
        try {
            return log.append(List.of(LogWorkbench.record(1, 5000)), 1).places().get(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void reopen() throws IOException {
        log.close();
        log = opened();
    }

    private void damage() throws IOException {
        String mirror = files.list(LogWorkbench.DIRECTORY).get(0);
        assertThat(mirror).endsWith(".whole");
        try (StoredFile file =
                files.open(LogWorkbench.DIRECTORY.resolve(mirror), Access.READ_WRITE)) {
            ByteBuffer wrong = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            file.write(wrong, place.offset() + 3000, WriteCause.CHECKPOINT);
        }
    }

    @Test
    void isMendedFromTheLedgerByTheReadThatFindsIt() throws IOException {
        LogEntry before = log.readEntry(place);
        reopen();
        damage();
        assertThat(log.readEntry(place)).usingRecursiveComparison().isEqualTo(before);
        reopen();
        assertThat(log.readEntry(place)).usingRecursiveComparison().isEqualTo(before);
    }

    @Test
    void isMendedAFewTimesOnly() throws IOException {
        reopen();
        for (int i = 0; i < 3; i++) {
            damage();
            assertThat(log.readEntry(place)).isNotNull();
        }
        damage();
        assertThatThrownBy(() -> log.readEntry(place)).isInstanceOf(DamagedException.class);
    }
}
