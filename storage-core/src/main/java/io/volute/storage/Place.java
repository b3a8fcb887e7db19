package io.volute.storage;

/**
 * The location of an entry or of a run of chunks. A place travels with the identity that is
 * expected there, and the log refuses a mismatch.
 *
 * @param segmentId id of the segment, never used again after it was freed
 * @param offset offset of the first byte in the segment file
 * @param bytes length in bytes, headers included
 */
public record Place(long segmentId, long offset, long bytes) {
    public Place {
        if (segmentId <= 0 || offset < 0 || bytes <= 0) {
            throw new IllegalArgumentException(
                    "bad place: segment " + segmentId + " offset " + offset + " bytes " + bytes);
        }
    }
}
