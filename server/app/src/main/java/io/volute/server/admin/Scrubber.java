package io.volute.server.admin;

import io.volute.server.damage.DamageList;
import io.volute.storage.report.CheckReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads and verifies everything now and then. Thread-safe. */
public interface Scrubber {
    /**
     * A pass in progress.
     *
     * @param stored progress over the stored data, which comes before the chains
     * @param chains number of chains verified so far
     * @param found number of problems and findings so far
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
     * The state of the scrub.
     *
     * @param interval time from the start of a pass to that of the next; zero when passes run only
     *     on request
     * @param last kept when the server starts again
     * @param failure the reason for which the latest attempt did not end; empty when it ended
     */
    record Status(
            Duration interval, Optional<Running> running, Optional<Pass> last, String failure) {}

    /** Returns the present state of the scrub. */
    Status status();

    /** Returns the list of damaged states. Scrubs and checks fill it. */
    DamageList damages();

    /** Starts a pass; returns false when one is in progress. */
    boolean begin();
}
