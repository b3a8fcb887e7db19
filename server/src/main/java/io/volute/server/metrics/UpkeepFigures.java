package io.volute.server.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What is looked after beside the service, since start.
 *
 * @param scrub of everything that is stored
 * @param copiesMissing checkpoints without a copy in the directory that is configured for them
 * @param delivery of checkpoints to a bucket
 * @param historyRemoved states that were removed, by why
 */
public record UpkeepFigures(
        Scrubbing scrub, long copiesMissing, Delivery delivery, Map<String, Long> historyRemoved) {
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
        /** Of a server that delivers none. */
        public static final Delivery NONE = new Delivery(0, 0);
    }

    /**
     * What was read and verified.
     *
     * @param passes that came to their end
     * @param bytes read
     * @param findings of what is wrong, by kind
     * @param lastBegan when the last whole pass began, of this run or one before
     */
    public record Scrubbing(
            long passes, long bytes, Map<String, Long> findings, Optional<Instant> lastBegan) {
        /** Of a server that does not scrub. */
        public static final Scrubbing NONE = new Scrubbing(0, 0, Map.of(), Optional.empty());

        public Scrubbing {
            findings = Map.copyOf(findings);
        }
    }
}
