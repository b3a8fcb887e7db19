package io.volute.storage.format;

import java.io.IOException;

/** Thrown when a segment is whole, but written in a format that this release does not know. */
public final class UnknownVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnknownVersionException(int found) {
        super(
                "segment format version "
                        + found
                        + " is unknown; this release reads versions 1 to "
                        + SegmentFormat.VERSION
                        + ". Open the data with the release that wrote it, or a later one.");
    }
}
