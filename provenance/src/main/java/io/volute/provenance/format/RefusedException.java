package io.volute.provenance.format;

import java.io.IOException;

/** Bytes that are not a known canonical encoding. The message names the error and its place. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }
}
