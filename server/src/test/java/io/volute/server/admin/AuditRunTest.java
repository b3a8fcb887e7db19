package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.server.Limits;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An audit that is under way: seen, ended, failed, and never grown without bound. */
class AuditRunTest {
    private final AuditRun run = new AuditRun(() -> AdminTestBed.NOW);

    private static AuditReport report(int findings) {
        Finding finding = new Finding(1, Cause.ALTERED, "detail");
        return new AuditReport(
                "bucket/key",
                3,
                2,
                1,
                new AuditReport.Hidden(4, 0, 2),
                Optional.empty(),
                Collections.nCopies(findings, finding),
                7,
                Map.of(1L, 5),
                SettingsHistory.UNKNOWN,
                Set.of());
    }

    private Map<String, Object> ended() {
        while ("running".equals(run.document().get("state"))) {
            Thread.onSpinWait();
        }
        return run.document();
    }

    /** Audits chains until the sink stops it. */
    private static long endless(AuditRun.Sink reports) throws IOException {
        long chains = 1;
        while (reports.next(report(0))) {
            chains++;
        }
        return chains;
    }

    @Test
    void endsWhenItIsAskedTo() {
        run.start(AuditRunTest::endless);
        assertThat(run.document()).containsEntry("state", "running");
        assertThatThrownBy(() -> run.start(AuditRunTest::endless))
                .isInstanceOf(AdminException.class)
                .hasMessageContaining("is running");
        run.cancel();
        assertThat(ended()).containsEntry("state", "stopped");
        run.start(reports -> reports.next(report(0)) ? 1 : 0);
        assertThat(ended()).containsEntry("state", "finished").containsEntry("id", 2L);
    }

    /** An exception is the only way to stop the comparison with a checkpoint. */
    @Test
    void isStoppedAlsoByAnException() {
        run.start(
                reports -> {
                    throw new IOException("told to stop behind chain " + endless(reports));
                });
        run.cancel();
        assertThat(ended()).containsEntry("state", "stopped").doesNotContainKey("failure");
    }

    @Test
    void endsWithTheServer() throws InterruptedException {
        run.start(AuditRunTest::endless);
        run.close();
        assertThat(run.document()).containsEntry("state", "stopped");
    }

    @Test
    void saysWhyItFailed() {
        run.start(
                reports -> {
                    throw new IOException("the disk is gone");
                });
        assertThat(ended())
                .containsEntry("state", "failed")
                .containsEntry("failure", "the disk is gone");
    }

    @Test
    void tellsSoManyFindingsAndCountsTheRest() {
        run.start(
                reports -> {
                    for (int findings : new int[] {600, 600}) {
                        assertThat(reports.next(report(findings))).isTrue();
                    }
                    return 2;
                });
        Map<String, Object> document = ended();
        assertThat((List<?>) document.get("findings")).hasSize(Limits.AUDIT_FINDINGS_MAX);
        assertThat(document)
                .containsEntry("moreFindings", 200L + 7 + 7)
                .containsEntry("chains", 2L)
                .containsEntry("entries", 6L)
                .containsEntry("verified", 4L)
                .containsEntry("removed", 2L);
        assertThat(((List<?>) document.get("findings")).getFirst().toString())
                .contains("chain=bucket/key", "promise=I2", "cause=altered", "contradictedBy=5");
    }
}
