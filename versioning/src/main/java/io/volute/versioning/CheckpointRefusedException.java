package io.volute.versioning;

import java.io.IOException;

/** The refusal to sign a checkpoint, because the chains on disk do not continue the last one. */
public final class CheckpointRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    public CheckpointRefusedException(String message) {
        super(message);
    }
}
