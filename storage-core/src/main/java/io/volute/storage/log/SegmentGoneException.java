package io.volute.storage.log;

import java.io.IOException;

/** The segment has left the log since its place was looked up; look it up again. */
public final class SegmentGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    public SegmentGoneException(long segmentId) {
        super("segment " + segmentId + " has left the log");
    }
}
