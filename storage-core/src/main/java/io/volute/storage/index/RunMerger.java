package io.volute.storage.index;

import java.io.IOException;

/**
 * Merges the sorted runs that flushes have left of walked tables. A cursor goes over rows of one
 * run faster than over rows that alternate between several. Thread-safe.
 */
public interface RunMerger {

    /** The merger of an index that has no runs. */
    RunMerger NONE =
            new RunMerger() {
                @Override
                public boolean merge() {
                    return false;
                }

                @Override
                public void end() {}
            };

    /**
     * Merges each walked table into one run, unless almost all of it lies in one already. It takes
     * as long as reading and writing the table, and runs beside readers and the writer.
     *
     * @return whether anything was merged
     */
    boolean merge() throws IOException;

    /** Ends a merge under way, which leaves the runs as they were, and prevents later ones. */
    void end();
}
