package io.volute.storage.report;

/**
 * A decision of the balancer of the memory images, with its figures and its reason.
 *
 * @param free free fraction of the seglets
 * @param live fraction of the memory for entries that live entries take
 * @param threshold free fraction at which the balancer acts
 * @param images number of images chosen
 * @param usedBytes bytes used in the chosen images
 * @param keptBytesMax greatest number of their bytes that survive
 */
public record ImageDecision(
        Action action,
        double free,
        double live,
        double threshold,
        int images,
        long usedBytes,
        long keptBytesMax,
        String reason) {

    /** The action that was decided. */
    public enum Action {
        /** Does nothing: waiting makes images emptier. */
        REST,
        /** Copies the live entries of images that have many dead ones. */
        COMPACT,
        /** Drops entries that were not read lately, from images that are seldom read. */
        EVICT
    }
}
