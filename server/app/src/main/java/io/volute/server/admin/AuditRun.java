package io.volute.server.admin;

import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.AuditTotals;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.Rule;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.audit.Uncompared;
import io.volute.server.Limits;
import io.volute.server.LogText;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The audit by the server itself. A stop ends it behind the chains that are being read. */
final class AuditRun extends LongRun {
    private static final Logger LOG = LoggerFactory.getLogger(AuditRun.class);

    /** The verification of chains, which reports each of them. */
    interface Verification {
        /** Returns how many. */
        long run(Sink sink) throws IOException;
    }

    /** Receives the findings of an audit. */
    interface Sink extends Provenance.Reports {
        @Override
        boolean next(AuditReport report);

        @Override
        void settings(SettingsHistory settings);

        @Override
        void unproven(long versions);

        @Override
        void unopened(long versions, long explained);

        @Override
        void uncompared(Uncompared what, long count);

        @Override
        void unchanged();

        /** Reports how many chains there are, before the first of them. */
        void expected(long chains);

        /** Reports an error in a checkpoint, or in the chains that it covers. */
        void checkpoint(String wrong);

        /** Reports a rule that the audit applied outside of chains. */
        void applied(Rule rule);

        boolean goesOn();
    }

    private final class Telling implements Sink {
        @Override
        public boolean next(AuditReport report) {
            return told(report);
        }

        @Override
        public void settings(SettingsHistory settings) {
            told(settings);
        }

        @Override
        public void unproven(long versions) {
            toldUnproven(versions);
        }

        @Override
        public void unopened(long versions, long explained) {
            toldUnopened(versions, explained);
        }

        @Override
        public void uncompared(Uncompared what, long count) {
            toldUncompared(what, count);
        }

        @Override
        public void unchanged() {
            toldExpected(-1);
        }

        @Override
        public void expected(long chains) {
            toldExpected(chains);
        }

        @Override
        public void checkpoint(String wrong) {
            told(wrong);
        }

        @Override
        public void applied(Rule rule) {
            told(rule);
        }

        @Override
        public boolean goesOn() {
            return !isStopped();
        }
    }

    private AuditTotals totals = new AuditTotals();
    private final LongAdder ended = new LongAdder();
    private final LongAdder chainsSoFar = new LongAdder();
    private final LongAdder findingsSoFar = new LongAdder();

    AuditRun(InstantSource clock) {
        super("audit", clock);
    }

    /**
     * Begins an audit.
     *
     * @throws AdminException when one is running
     */
    void start(Verification audit) {
        begin(
                () -> {
                    long chains = audit.run(new Telling());
                    LOG.debug("audit: {} chains", chains);
                    ended.increment();
                    return !isStopped();
                });
    }

    /** Returns the totals of all audits since start. */
    AdminApi.Audits soFar() {
        return new AdminApi.Audits(ended.sum(), chainsSoFar.sum(), findingsSoFar.sum());
    }

    @Override
    AdminException inProgress() {
        return new AdminException(
                409,
                "AuditInProgress",
                "an audit is running: GET /_volute/v1/provenance/audit shows its progress, POST"
                        + " /_volute/v1/provenance/audit/cancel ends it");
    }

    private synchronized void told(String wrong) {
        LOG.error("audit of checkpoints: {}", wrong);
        findingsSoFar.increment();
        totals.add("checkpoints", new Finding(0, Cause.HIDDEN, wrong));
    }

    private synchronized void told(Rule applied) {
        totals.add(applied);
    }

    private synchronized void toldExpected(long chains) {
        totals.expect(chains);
    }

    private synchronized void toldUnproven(long versions) {
        totals.addUnproven(versions);
    }

    private synchronized void toldUnopened(long versions, long explained) {
        totals.addUnopened(versions, explained);
    }

    private synchronized void toldUncompared(Uncompared what, long count) {
        totals.addUncompared(what, count);
    }

    private synchronized void told(SettingsHistory settings) {
        totals.add(settings);
    }

    private synchronized boolean told(AuditReport report) {
        totals.add(report);
        chainsSoFar.increment();
        findingsSoFar.add(report.findings().size() + report.omitted());
        if (totals.found() <= Limits.AUDIT_FINDINGS_MAX) {
            String chain = LogText.of(report.chain());
            report.findings().forEach(each -> LOG.error("audit of {}: {}", chain, each));
        }
        return !isStopped();
    }

    @Override
    synchronized void forget() {
        totals = new AuditTotals();
    }

    /** Returns the latest audit. */
    synchronized Audit audit() {
        return new Audit(run(), hasBegun() ? totals.snapshot() : null);
    }

    @Override
    synchronized String found() {
        return totals.chains() + " chains, " + totals.found() + " findings";
    }
}
