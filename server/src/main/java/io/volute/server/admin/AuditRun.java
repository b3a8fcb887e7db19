package io.volute.server.admin;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.server.Limits;
import io.volute.server.LogText;
import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit by the server itself: one at a time, on a thread of its own; what the last one found is
 * kept until the next begins. Thread-safe.
 */
final class AuditRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditRun.class);

    /** Where the last audit is. Schema: {@code Audit} in docs/openapi.yaml. */
    private enum State {
        NONE,
        RUNNING,
        FINISHED,
        STOPPED,
        FAILED
    }

    /** Verifies chains, and tells of each. */
    interface Audit {
        /** Returns how many. */
        long run(Sink sink) throws IOException;
    }

    /** Is told what an audit finds. */
    interface Sink {
        /** What was found in a chain; returns whether to go on. */
        boolean next(AuditReport report);

        /** What is wrong with a checkpoint, or with the chains that it has. */
        void checkpoint(String wrong);

        boolean goesOn();
    }

    private final class Telling implements Sink {
        @Override
        public boolean next(AuditReport report) {
            return told(report);
        }

        @Override
        public void checkpoint(String wrong) {
            told(wrong);
        }

        @Override
        public boolean goesOn() {
            return !isStopping();
        }
    }

    private final InstantSource clock;
    private State state = State.NONE;
    private long number;
    private String started = "";
    private String failure = "";
    private AuditTotals totals = new AuditTotals();
    private Thread thread = Thread.ofVirtual().unstarted(() -> {});
    private boolean isStopped;
    private boolean isClosed;

    AuditRun(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Begins an audit.
     *
     * @throws AdminException when one is running
     */
    synchronized void start(Audit audit) {
        if (state == State.RUNNING || isClosed) {
            throw new AdminException(
                    409,
                    "AuditInProgress",
                    "an audit is running: GET /_volute/v1/provenance/audit tells how far, POST"
                            + " /_volute/v1/provenance/audit/cancel ends it");
        }
        state = State.RUNNING;
        number++;
        started = clock.instant().toString();
        failure = "";
        totals = new AuditTotals();
        isStopped = false;
        thread = Thread.ofVirtual().name("audit").start(() -> run(audit));
    }

    private void run(Audit audit) {
        try {
            long chains = audit.run(new Telling());
            end(chains);
        } catch (IOException | RuntimeException e) {
            LOG.error("the audit failed", e);
            fail(e);
        }
    }

    private synchronized boolean isStopping() {
        return isStopped;
    }

    private synchronized void told(String wrong) {
        LOG.error("audit of checkpoints: {}", wrong);
        totals.add("checkpoints", new Finding(0, Cause.HIDDEN, wrong));
    }

    private synchronized boolean told(AuditReport report) {
        totals.add(report);
        if (totals.found() <= Limits.AUDIT_FINDINGS_MAX) {
            String chain = LogText.of(report.chain());
            report.findings().forEach(each -> LOG.error("audit of {}: {}", chain, each));
        }
        return !isStopped;
    }

    private synchronized void end(long chains) {
        state = isStopped ? State.STOPPED : State.FINISHED;
        LOG.info(
                "audit {}: {} chains, {} findings",
                state.name().toLowerCase(Locale.ROOT),
                chains,
                totals.found());
    }

    private synchronized void fail(Exception e) {
        state = State.FAILED;
        failure = String.valueOf(e.getMessage());
    }

    /** Has a running audit end behind the chains that are being read. */
    synchronized void cancel() {
        isStopped = true;
    }

    synchronized Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("state", state.name().toLowerCase(Locale.ROOT));
        if (state == State.NONE) {
            return document;
        }
        document.put("id", number);
        document.put("started", started);
        if (state == State.FAILED) {
            document.put("failure", failure);
        }
        totals.putInto(document);
        return document;
    }

    /** Stops a running audit, and waits for its end. */
    @Override
    public void close() throws InterruptedException {
        Thread running;
        synchronized (this) {
            isStopped = true;
            isClosed = true;
            running = thread;
        }
        if (running.isAlive()) {
            running.join();
        }
    }
}
