package io.volute.provenance.format;

import java.io.IOException;

/** Bytes that are not the canonical encoding of anything known; says what was found where. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }
}
