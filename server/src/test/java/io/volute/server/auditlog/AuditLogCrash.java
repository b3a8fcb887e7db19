package io.volute.server.auditlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.testkit.crash.CrashLoop;
import io.volute.testkit.crash.CrashProbe;
import io.volute.testkit.crash.CrashReport;
import io.volute.testkit.crash.CrashWorkflow;
import io.volute.testkit.crash.FaultLoop;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Crashes the log at every step: acknowledged lines survive, the chain continues, and the record
 * beside it misses nothing.
 */
class AuditLogCrash {
    private static final Path DATA = Path.of("/data/audit");
    private static final Terms COMPLETE = new Terms(Optional.of(SampleLog.KEYS), true, Map.of());
    private static final long FILE_BYTES = 3_000;

    /** Images that the short form checks; the long one checks eight of each event. */
    private static final int IMAGES = 200;

    @TempDir private Path directory;

    /** The ids of begun changes whose line was acknowledged. */
    private record Known(Set<String> acknowledged) {
        Known with(String id) {
            Set<String> more = new TreeSet<>(acknowledged);
            more.add(id);
            return new Known(more);
        }
    }

    /** Changes, in files so small that many are begun. */
    private final class Changes implements CrashWorkflow<Known> {
        private final long filesMax;

        Changes(long filesMax) {
            this.filesMax = filesMax;
        }

        @Override
        public String name() {
            return "changes";
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            Known[] known = {new Known(Set.of())};
            probe.watch(() -> known[0]);
            for (int run = 0; run < 2; run++) {
                try (AuditLog log = SampleLog.open(disk, DATA, FILE_BYTES, filesMax)) {
                    log.started(Map.of("run", run));
                    for (int i = 0; i < 6; i++) {
                        String id = "change-" + run + "-" + i;
                        change(log, id);
                        known[0] = known[0].with(id);
                        probe.point(id);
                        log.look();
                    }
                }
            }
        }

        private void change(AuditLog log, String id) throws IOException {
            try {
                SampleLog.change(log, id);
            } catch (AuditUnavailableException e) {
                throw new IOException(e);
            }
            if (log.failures() > 0) {
                // Of this outcome, or the end of the file: the work ends at the first failure.
                throw new IOException("a line was lost");
            }
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            probe.watch(() -> known);
            try (AuditLog log = SampleLog.open(disk, DATA, FILE_BYTES, 0)) {
                assertThat(log.problems()).isEmpty();
                log.started(Map.of("recovered", true));
                SampleLog.change(log, "later");
            }
            checkFiles(disk.crashImage(PersistencePolicy.ALL_LOST, 1), known);
            checkFiles(disk, known);
        }

        private void checkFiles(SimFileSystem disk, Known known) throws IOException {
            Path copy = CopiedLog.of(disk, DATA, directory);
            AuditLogReport report =
                    new AuditLogVerifier(COMPLETE).verify(AuditLogVerifier.files(copy));
            assertThat(report.findings().list()).isEmpty();
            assertThat(AuditScan.of(disk, DATA, DATA).problems()).isEmpty();
            StringBuilder all = new StringBuilder();
            for (Path file : AuditLogVerifier.files(copy)) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
            if (filesMax == 0) {
                for (String id : known.acknowledged()) {
                    assertThat(all.toString()).contains("\"requestId\":\"" + id + "\"");
                }
            }
        }
    }

    private static CrashLoop.Settings settings() {
        CrashLoop.Settings usual = CrashLoop.Settings.usual();
        return new CrashLoop.Settings(
                usual.seed(),
                Math.max(usual.checkedMax(), IMAGES),
                usual.recoveriesMax(),
                usual.nestedMax());
    }

    @Test
    void aCrashAnywhereLeavesALogThatGoesOn() throws IOException {
        CrashReport report = new CrashLoop(settings()).run(new Changes(0));
        assertThat(report.points()).isGreaterThan(60);
        assertThat(report.checked())
                .isEqualTo(
                        Math.min(
                                report.points() * PersistencePolicy.values().length,
                                settings().checkedMax()));
        assertThat(report.nested()).isPositive();
    }

    @Test
    void aCrashWhileOldFilesGoLeavesALogThatSaysSo() throws IOException {
        CrashReport report = new CrashLoop(settings()).run(new Changes(2));
        assertThat(report.points()).isGreaterThan(60);
    }

    @Test
    void aFaultAnywhereLeavesALogThatGoesOn() throws IOException {
        FaultLoop.Report report = FaultLoop.usual().run(new Changes(0));
        assertThat(report.failed()).isGreaterThan(20);
    }

    @Test
    void aFaultWhileOldFilesGoLeavesALogThatSaysSo() throws IOException {
        FaultLoop.Report report = FaultLoop.usual().run(new Changes(2));
        assertThat(report.failed()).isGreaterThan(20);
    }
}
