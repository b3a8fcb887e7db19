package io.volute.server.metrics;

/**
 * The figures of the standby index of one cube.
 *
 * @param isFollowing whether it follows the log of the cube's owner
 * @param lagSeconds time since it had everything that was confirmed
 * @param lagBytes confirmed bytes that it does not have
 * @param builds times that it was built since it began to follow
 */
public record StandbyFigures(boolean isFollowing, double lagSeconds, long lagBytes, long builds) {}
