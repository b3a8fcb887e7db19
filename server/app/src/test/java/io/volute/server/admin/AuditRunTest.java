package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.AuditApi;
import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.AuditApi.Found;
import io.volute.adminapi.CheckApi.Run;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.server.Limits;
import java.io.IOException;
import java.util.Collections;
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
                Set.of(),
                Map.of());
    }

    private Audit ended() {
        while (run.audit().run().isRunning()) {
            Thread.onSpinWait();
        }
        return run.audit();
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
        assertThat(run.audit().run().isRunning()).isTrue();
        assertThatThrownBy(() -> run.start(AuditRunTest::endless))
                .isInstanceOf(AdminException.class)
                .hasMessageContaining("is running");
        run.cancel();
        assertThat(ended().run().state()).isEqualTo("stopped");
        run.start(reports -> reports.next(report(0)) ? 1 : 0);
        assertThat(ended().run().isFinished()).isTrue();
        assertThat(ended().run().id()).hasValue(2);
    }

    /** The percents of an audit since a checkpoint end with 100. */
    @Test
    void chainsThatHaveNotChangedAreNotExpected() {
        run.start(
                reports -> {
                    reports.expected(5);
                    reports.unchanged();
                    return reports.next(report(0)) ? 1 : 0;
                });
        assertThat(ended().found().chains()).isEqualTo(1);
        assertThat(ended().found().chainsTotal()).isEqualTo(4);
    }

    /** An exception is the only way to stop the comparison with a checkpoint. */
    @Test
    void isStoppedAlsoByAnException() {
        run.start(
                reports -> {
                    throw new IOException("told to stop behind chain " + endless(reports));
                });
        run.cancel();
        Run stopped = ended().run();
        assertThat(stopped.state()).isEqualTo("stopped");
        assertThat(stopped.failure()).isEmpty();
    }

    @Test
    void endsWithTheServer() throws InterruptedException {
        run.start(AuditRunTest::endless);
        run.close();
        assertThat(ended().run().state()).isEqualTo("stopped");
    }

    @Test
    void saysWhyItFailed() {
        run.start(
                reports -> {
                    throw new IOException("the disk is gone");
                });
        assertThat(ended().run().state()).isEqualTo("failed");
        assertThat(ended().run().failure()).contains("the disk is gone");
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
        Found found = ended().found();
        assertThat(found.findings()).hasSize(Limits.AUDIT_FINDINGS_MAX);
        assertThat(found.moreFindings()).isEqualTo(200 + 7 + 7);
        assertThat(found.total()).isEqualTo(Limits.AUDIT_FINDINGS_MAX + 200 + 7 + 7);
        assertThat(found.chains()).isEqualTo(2);
        assertThat(found.entries()).isEqualTo(6);
        assertThat(found.verified()).isEqualTo(4);
        assertThat(found.removed()).isEqualTo(2);
        AuditApi.Finding first = found.findings().getFirst();
        assertThat(first.chain()).isEqualTo("bucket/key");
        assertThat(first.promise()).isEqualTo("I2");
        assertThat(first.cause()).isEqualTo("altered");
        assertThat(first.contradictedBy()).isEqualTo(5);
    }
}
