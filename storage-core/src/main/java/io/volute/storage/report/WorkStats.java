package io.volute.storage.report;

import io.volute.storage.io.WriteCause;
import java.util.Map;

/**
 * The figures of a cube's work since it was opened, and of what waits now.
 *
 * @param commits figures of group commits
 * @param forces nanoseconds that forces of files took, by the cause of the last write before
 * @param decisions decisions of the balancer, by reason
 * @param punchedBytes bytes given back to the file system as holes
 * @param waits number of writes held back for lack of space, including those refused in the end
 * @param refused number of writes refused for lack of space
 * @param index figures of the index
 */
public record WorkStats(
        Commits commits,
        Map<WriteCause, Distribution.Counts> forces,
        Map<SpaceDecision.Reason, Long> decisions,
        long punchedBytes,
        long waits,
        long refused,
        IndexStats index) {
    public WorkStats {
        forces = Map.copyOf(forces);
        decisions = Map.copyOf(decisions);
    }

    /** The figures of a cube that measures nothing. */
    public static final WorkStats NONE =
            new WorkStats(
                    new Commits(
                            Distribution.Counts.NONE,
                            Distribution.Counts.NONE,
                            Distribution.Counts.NONE,
                            0),
                    Map.of(),
                    Map.of(),
                    0,
                    0,
                    0,
                    IndexStats.NONE);

    /**
     * The figures of group commits.
     *
     * @param transactions number of transactions of each batch
     * @param bytes bytes of each batch in the log
     * @param nanos nanoseconds from the start of a batch until the index has it
     * @param queued number of transactions that wait now
     */
    public record Commits(
            Distribution.Counts transactions,
            Distribution.Counts bytes,
            Distribution.Counts nanos,
            int queued) {}
}
