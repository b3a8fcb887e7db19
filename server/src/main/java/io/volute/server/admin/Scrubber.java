package io.volute.server.admin;

import io.volute.storage.report.CheckReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads and verifies everything now and then. Thread-safe. */
public interface Scrubber {
    /**
     * A pass under way.
     *
     * @param stored how far it is with what is stored; chains come behind
     * @param chains verified so far
     * @param found problems and findings so far
     */
    record Running(Instant began, CheckReport.Progress stored, long chains, long found) {}

    /**
     * A pass that has ended.
     *
     * @param problems number of problems in the stored data
     * @param findings number of findings in chains and checkpoints
     * @param found descriptions of the first problems and findings
     */
    record Pass(Instant began, Instant ended, long problems, long findings, List<String> found) {
        public Pass {
            found = List.copyOf(found);
        }

        /** Returns whether the pass found neither a problem nor a finding. */
        public boolean isSound() {
            return problems + findings == 0;
        }
    }

    /**
     * How it stands.
     *
     * @param interval from the beginning of a pass to that of the next; zero when one is made only
     *     when asked for
     * @param last kept when the server starts again
     * @param failure why the latest attempt came to no end; empty when it did
     */
    record Status(
            Duration interval, Optional<Running> running, Optional<Pass> last, String failure) {}

    /** Returns the present state of the scrub. */
    Status status();

    /** Starts a pass; returns false when one is in progress. */
    boolean begin();
}
