package io.volute.testkit.crash;

/**
 * What a {@link CrashLoop} did.
 *
 * @param points moments at which a crash was taken
 * @param images disks that such crashes left
 * @param checked images that were recovered and checked
 * @param nested images of crashes during a recovery that were checked
 */
public record CrashReport(String workflow, int points, int images, int checked, int nested) {}
