package io.volute.versioning;

import java.io.IOException;

/** The chains on the disk do not continue the last checkpoint, so the next one is not signed. */
public final class CheckpointRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    public CheckpointRefusedException(String message) {
        super(message);
    }
}
