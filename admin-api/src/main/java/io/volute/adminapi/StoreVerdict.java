package io.volute.adminapi;

import java.util.Optional;

/**
 * The verdict on a store or one cube of it: the same for the status page, {@code volute doctor} and
 * {@code /health/ready}.
 *
 * @param isHealthy whether it takes writes, and no damage is known
 * @param found what is so, as a sentence without a full stop
 * @param advice what to do; empty if healthy
 */
public record StoreVerdict(boolean isHealthy, String found, Optional<String> advice) {
    private static final String HEALTHY = "healthy";

    /**
     * Judges; the worst comes first.
     *
     * @param state {@code healthy}, or why it takes no writes
     * @param isFull whether clients can write nothing more in one of the cubes
     * @param damaged number of states that checks and scrubs found damaged and nobody repaired
     * @param unnamed number of reads that met damage since the last check, which names it
     */
    public static StoreVerdict of(String state, boolean isFull, long damaged, long unnamed) {
        if (!state.equals(HEALTHY)) {
            return bad(
                    "it is " + state,
                    "the server's log has the reason; a failed disk has to be replaced before the"
                            + " next start");
        }
        if (isFull) {
            return bad(
                    "it is full: writes are refused, reads and deletes go on",
                    "delete and run volute clean --now, raise log.capacity if it is set, else add"
                            + " disk; the server's log names the limit");
        }
        if (damaged > 0) {
            return bad(
                    "it has damaged data: some reads fail",
                    "volute damage list names the damaged versions; volute damage repair repairs"
                            + " them");
        }
        return unnamed > 0
                ? bad(
                        "it has damaged data: reads have met some since the last check",
                        "volute check names the damaged versions; volute damage repair repairs"
                                + " them")
                : new StoreVerdict(true, "it is healthy", Optional.empty());
    }

    private static StoreVerdict bad(String found, String advice) {
        return new StoreVerdict(false, found, Optional.of(advice));
    }
}
