package io.volute.storage.format;

import java.io.IOException;

/** Thrown when bytes do not follow the format. The caller adds the file and the offset. */
public final class FormatException extends IOException {
    private static final long serialVersionUID = 1L;

    public FormatException(String message) {
        super(message);
    }
}
