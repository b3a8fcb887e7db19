package io.volute.storage.log;

import io.volute.storage.Place;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Gives dead ranges of sealed segments back to the file system. Knows no more of what is live than
 * it is told. Thread-safe.
 */
public interface SegmentHoles {

    /** A part of a segment file, from {@code begin} to before {@code end}; both on page borders. */
    record Range(long begin, long end) {
        public Range {
            if (begin < 0 || end <= begin) {
                throw new IllegalArgumentException("no range: " + begin + " to " + end);
            }
        }

        public long bytes() {
            return end - begin;
        }
    }

    /** Says which inline blobs are still in use. */
    interface Liveness {
        boolean isLive(long blobId, Place entry);
    }

    /** The segment, if it is in the log and sealed. */
    Optional<SegmentLog.SegmentState> sealed(long segmentId);

    /** Begins to watch for the end of all pins that there are now. */
    PhasedCount.Grace grace(long segmentId) throws SegmentGoneException;

    /**
     * Whole pages in dead inline blobs of a sealed head or survivor segment; not those that are
     * holes already, nor less of one blob than the settings say. Reads the fronts of large entries,
     * and dead ones wholly: only what a checksum proves to be the dead blob is named.
     */
    List<Range> deadBlobPages(long segmentId, Liveness liveness) throws IOException;

    /**
     * Punches ranges of a sealed segment, and measures its holes again. Nobody may read the ranges
     * any more.
     *
     * @return false when the file system cannot
     * @throws IOException when it fails; some ranges may be holes then
     */
    boolean punch(long segmentId, List<Range> ranges) throws IOException;

    /** Bytes of a sealed segment's written part that take no space, as last measured; else 0. */
    long holeBytes(long segmentId);
}
