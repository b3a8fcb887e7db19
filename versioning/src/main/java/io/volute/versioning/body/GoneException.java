package io.volute.versioning.body;

import java.io.IOException;

/** A record was removed, or replaced, behind the look at it. */
public final class GoneException extends IOException {
    private static final long serialVersionUID = 1;

    GoneException(IOException cause) {
        super("the record is not there any more", cause);
    }
}
