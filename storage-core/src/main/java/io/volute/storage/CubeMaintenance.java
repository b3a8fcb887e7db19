package io.volute.storage;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A cube as operators see it: its space, its counters, cleaning on request, checks. Thread-safe.
 */
public interface CubeMaintenance {

    /**
     * Verifies before a read or write that no other server serves this cube. A cube that another
     * server has taken over is closed from then on.
     *
     * @throws CubeUnavailableException when another server may serve it
     */
    default void requireServing() throws CubeUnavailableException {}

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
     * @param some ids of segments, of which only the bytes that live records need are verified;
     *     empty to check everything
     * @throws CubeUnavailableException CLOSED when the cube closes meanwhile
     * @throws IOException when the log cannot be read at all; damage is reported, not thrown
     */
    CheckReport check(long bytesPerSecond, CheckReport.Watch watch, Optional<Set<Long>> some)
            throws IOException;

    /** Checks everything. */
    default CheckReport check(long bytesPerSecond, CheckReport.Watch watch) throws IOException {
        return check(bytesPerSecond, watch, Optional.empty());
    }

    /**
     * Reads a record and all its blobs, to repair what is damaged of them. Finds nothing when there
     * is no such record.
     *
     * @param family id of the family
     * @return closed by the caller, soon: it keeps segments in the log
     */
    default RecordRepair repair(int family, byte[] key) throws IOException {
        throw new UnsupportedOperationException("this cube has no log of its own");
    }

    /**
     * Opens the segment files of the log as of now, for a copy. A start from the copy, without an
     * index, is a start after a crash at this moment: it finds everything committed before. While a
     * file is held, its space does not return.
     */
    LogSnapshot snapshot() throws IOException;

    /**
     * Holds back the commits of all cubes of the store, so that snapshots of several cubes are of
     * one moment. The thread that calls this must close the pause, and soon.
     */
    Pause pauseCommits();

    /** Ends when it is closed. */
    interface Pause extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * A file of a snapshot.
     *
     * @param name file name in the directory of segments
     * @param bytes bytes to copy, from its beginning on
     * @param finalBytes bytes from its beginning on that change no more, unless they die and become
     *     a hole
     * @param fileBytes size of the file; the rest of it is zeros
     */
    record SegmentFile(
            String name, SpaceReport.Kind kind, long bytes, long finalBytes, long fileBytes) {}

    /** The segment files of a log, held until they are released. Used by one thread. */
    interface LogSnapshot extends AutoCloseable {

        /** Returns the files, in the order of their segment ids. */
        List<SegmentFile> files();

        /**
         * Reads from a file that is still held, until the target is full or the file ends.
         *
         * @return number of bytes read
         */
        int read(SegmentFile file, long offset, ByteBuffer target) throws IOException;

        /** Ends the hold on a file. */
        void release(SegmentFile file);

        /** Returns the size of the files that only this snapshot, or a reader, keeps. */
        long heldBytes();

        /** Releases all files. */
        @Override
        void close();
    }
}
