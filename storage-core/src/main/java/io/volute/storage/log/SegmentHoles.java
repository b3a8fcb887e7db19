package io.volute.storage.log;

import io.volute.storage.Place;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Gives dead ranges of sealed segments back to the file system. The caller determines what is dead.
 * Thread-safe.
 */
public interface SegmentHoles {

    /**
     * A range of a segment file, from {@code begin} to before {@code end}; both on page borders.
     */
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

    /** Determines which inline blobs are still in use. */
    interface Liveness {
        boolean isLive(long blobId, Place entry);
    }

    /** Returns the segment if it is in the log and sealed. */
    Optional<SegmentLog.SegmentState> sealed(long segmentId);

    /** Begins to watch for the end of all present pins. */
    PhasedCount.Grace grace(long segmentId) throws SegmentGoneException;

    /**
     * Returns the whole pages in dead inline blobs of a sealed head or survivor segment. It leaves
     * out pages that are holes already, and blobs with less than the smallest hole of the settings.
     * It reads the fronts of large entries, and dead ones wholly: a checksum must prove that the
     * bytes are the dead blob.
     */
    List<Range> deadBlobPages(long segmentId, Liveness liveness) throws IOException;

    /**
     * Punches ranges of a sealed segment, and measures its holes again. No reader may use the
     * ranges any more.
     *
     * @return false when the file system cannot
     * @throws IOException when a punch fails; some ranges may be holes then
     */
    boolean punch(long segmentId, List<Range> ranges) throws IOException;

    /**
     * Returns the bytes of a sealed segment's written part that take no space, as last measured; 0
     * for other segments.
     */
    long holeBytes(long segmentId);
}
