package io.volute.storage.report;

/**
 * What the balancer of the memory images decided, from what, and why.
 *
 * @param free fraction of the seglets that are not in use
 * @param live fraction of the memory for entries that live entries take
 * @param threshold at which the free fraction makes it act
 * @param images chosen
 * @param usedBytes of the chosen images
 * @param keptBytesMax bytes of them that survive at most
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

    /** What to do. */
    public enum Action {
        /** Nothing: waiting only makes images emptier. */
        REST,
        /** Copy the live entries of images that have many dead ones. */
        COMPACT,
        /** Drop what was not read lately from images that are seldom read. */
        EVICT
    }
}
