package io.volute.storage.cube;

import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * The length of the search for interleavings; {@code -Dvolute.lincheck=full} searches for longer.
 */
public final class LincheckRuns {
    private LincheckRuns() {}

    public static boolean isFull() {
        return "full".equals(System.getProperty("volute.lincheck"));
    }

    public static StressOptions stress() {
        return new StressOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .iterations(isFull() ? 200 : 20)
                .invocationsPerIteration(isFull() ? 5_000 : 60);
    }

    /** For planted mistakes: until one is found, which then is not made small. */
    public static StressOptions canary() {
        return stress().iterations(500).minimizeFailedScenario(false);
    }
}
