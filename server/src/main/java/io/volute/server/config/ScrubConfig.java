package io.volute.server.config;

import java.time.Duration;

/**
 * How everything that is stored is looked at again and again.
 *
 * @param interval from the beginning of one pass to that of the next; zero: never
 * @param rateMax bytes a second that a pass reads at most
 */
public record ScrubConfig(Duration interval, long rateMax) {}
