package io.volute.server.notification;

import java.time.Duration;

/**
 * The figures of a target of event notifications.
 *
 * @param delivered messages that the target has taken since the start
 * @param failures attempts that failed since the start
 * @param waiting messages that the target does not have yet
 * @param lag age of the oldest of them; zero if there is none
 * @param omitted changes since the start that got no message, because too many waited
 * @param unreadable messages since the start that could not be read
 */
public record TargetFigures(
        long delivered, long failures, long waiting, Duration lag, long omitted, long unreadable) {}
