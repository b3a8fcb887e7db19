package io.volute.storage.report;

import io.volute.storage.io.WriteCause;
import java.util.Map;

/**
 * How a cube is doing, for who watches it: figures since start, and what waits now.
 *
 * @param commits how transactions become durable
 * @param forces nanoseconds that forces of files took, by why the file was written last
 * @param decisions of the balancer, by reason
 * @param punchedBytes given back to the file system as holes
 * @param waits writes that were held back for want of space, those refused in the end included
 * @param refused writes that were refused for want of space
 * @param index of the cube
 */
public record CubeWork(
        Commits commits,
        Map<WriteCause, Distribution.Counts> forces,
        Map<SpaceDecision.Reason, Long> decisions,
        long punchedBytes,
        long waits,
        long refused,
        IndexStats index) {
    public CubeWork {
        forces = Map.copyOf(forces);
        decisions = Map.copyOf(decisions);
    }

    /** Of a cube that counts nothing. */
    public static final CubeWork NONE =
            new CubeWork(
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
     * Group commits.
     *
     * @param transactions of each batch
     * @param bytes of each batch, in the log
     * @param nanos from the first look at its transactions until the index had it
     * @param queued transactions that wait now
     */
    public record Commits(
            Distribution.Counts transactions,
            Distribution.Counts bytes,
            Distribution.Counts nanos,
            int queued) {}
}
