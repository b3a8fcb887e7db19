package io.volute.server.replication;

import java.time.Duration;

/**
 * The figures of a target of replication.
 *
 * @param replicated changes since the start that the target has
 * @param failures attempts since the start that failed
 * @param waiting changes that the target does not have yet
 * @param lag age of the oldest of them; zero if there is none
 * @param refused changes that the target refused for good
 * @param unreadable messages since the start that could not be read
 */
public record ReplicationFigures(
        long replicated,
        long failures,
        long waiting,
        Duration lag,
        long refused,
        long unreadable) {}
