package io.volute.storage;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;

/**
 * A cube as operators see it: its space, its counters, cleaning on request, checks. Thread-safe.
 */
public interface CubeMaintenance {

    /** Returns the state of the cube: whether it serves reads and takes writes. */
    CubeState state();

    /**
     * Returns the space report; reads the index for the bytes that a compaction would give back.
     */
    SpaceReport space();

    /**
     * Returns the space report for frequent callers. It leaves out the bytes that a compaction
     * would give back, which take reads of the index, and reports 0.
     */
    SpaceReport spaceAtGlance();

    /** Returns the counters since the cube was opened. */
    CubeStats stats();

    /** The levels of cleaning. */
    enum Cleaning {
        /**
         * Level one: gives dead ranges of sealed segments back to the file system, where it
         * supports holes.
         */
        COMPACT,
        /** Level two: copies the needed entries of several segments to survivors. */
        COMBINED
    }

    /**
     * Reclaims space now, in one pass, whatever the thresholds. Runs on the caller's thread, beside
     * everything else.
     *
     * @return bytes set free; 0 when no pass is worth it
     */
    long clean(Cleaning level) throws IOException;

    /** Sets the owner of data that can be released when space is short; replaces the last. */
    void whenShort(SpaceGiver giver);

    /**
     * Checks the cube beside everything else. It verifies checksums of all entries of sealed
     * segments, of the live ones of open segments and of all chunks, counts references anew, and
     * compares the accounting of space with the content of the segments. Runs on the caller's
     * thread for as long as it takes to read everything at that rate; memory is bounded.
     *
     * @param bytesPerSecond greatest rate of reads
     * @param watch called after about each MiB; decides whether the check goes on
     * @throws CubeUnavailableException CLOSED when the cube closes meanwhile
     * @throws IOException when the log cannot be read at all; damage is reported, not thrown
     */
    CheckReport check(long bytesPerSecond, CheckReport.Watch watch) throws IOException;
}
