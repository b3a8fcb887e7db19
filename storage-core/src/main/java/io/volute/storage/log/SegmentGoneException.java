package io.volute.storage.log;

import java.io.IOException;

/**
 * Thrown when a segment has left the log since its place was looked up. The caller looks it up
 * again.
 */
public final class SegmentGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    public SegmentGoneException(long segmentId) {
        super("segment " + segmentId + " has left the log");
    }
}
