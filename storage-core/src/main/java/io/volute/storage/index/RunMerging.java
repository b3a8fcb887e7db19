package io.volute.storage.index;

import java.io.IOException;

/**
 * Merges the sorted runs that flushes have left of tables that are walked: a cursor goes over rows
 * of one run faster than over rows that alternate between several. Thread-safe.
 */
public interface RunMerging {

    /** Of an index that has no runs. */
    RunMerging NONE =
            new RunMerging() {
                @Override
                public boolean merge() {
                    return false;
                }

                @Override
                public void end() {}
            };

    /**
     * Makes one run of each walked table, unless almost all of it lies in one already. Takes as
     * long as it takes to read and write the table, beside readers and the writer.
     *
     * @return whether anything was merged
     */
    boolean merge() throws IOException;

    /** A merge under way ends soon and leaves the runs as they were; none begins any more. */
    void end();
}
