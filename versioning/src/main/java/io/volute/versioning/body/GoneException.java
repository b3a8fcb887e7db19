package io.volute.versioning.body;

import java.io.IOException;

/** The failure of a read whose record was removed or replaced meanwhile. */
public final class GoneException extends IOException {
    private static final long serialVersionUID = 1;

    GoneException(IOException cause) {
        super("the record was removed or replaced", cause);
    }
}
