package io.volute.server.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The figures of the background tasks since start.
 *
 * @param scrub of everything that is stored
 * @param copiesMissing checkpoints without a copy in the directory that is configured for them
 * @param delivery of checkpoints to a bucket
 * @param historyRemoved number of removed states, by reason
 * @param backups of the store
 */
public record UpkeepFigures(
        Scrubbing scrub,
        long copiesMissing,
        Delivery delivery,
        Map<String, Long> historyRemoved,
        Backups backups) {
    public UpkeepFigures {
        historyRemoved = Map.copyOf(historyRemoved);
    }

    /**
     * How the delivery of checkpoints to a bucket stands.
     *
     * @param missing that are not there yet
     * @param failures attempts that ended with an error
     */
    public record Delivery(long missing, long failures) {
        /** The figures of a server that delivers no checkpoints. */
        public static final Delivery NONE = new Delivery(0, 0);
    }

    /**
     * The backups since start.
     *
     * @param finished number of complete backups
     * @param failed number of failed ones
     * @param sentBytes bytes sent by complete ones
     * @param lastSeconds duration of the last complete one; 0 before it
     * @param lastGood begin of the newest complete one, also of an earlier run of the server
     */
    public record Backups(
            long finished,
            long failed,
            long sentBytes,
            double lastSeconds,
            Optional<Instant> lastGood) {
        /** The figures of a server that made no backup. */
        public static final Backups NONE = new Backups(0, 0, 0, 0, Optional.empty());
    }

    /**
     * The work and findings of scrubs.
     *
     * @param passes number of passes that ended regularly
     * @param number of bytes read
     * @param findings number of findings, by kind
     * @param lastBegan the start of the last whole pass, of this run of the server or an earlier
     *     one
     * @param damagedStates number of states that are damaged, as far as known
     * @param unnamedDamages number of reads that met damage since the last check
     */
    public record Scrubbing(
            long passes,
            long bytes,
            Map<String, Long> findings,
            Optional<Instant> lastBegan,
            long damagedStates,
            long unnamedDamages) {
        /** The figures of a server that does not scrub. */
        public static final Scrubbing NONE = new Scrubbing(0, 0, Map.of(), Optional.empty(), 0, 0);

        public Scrubbing {
            findings = Map.copyOf(findings);
        }
    }
}
