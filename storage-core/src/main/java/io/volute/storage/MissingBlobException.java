package io.volute.storage;

import java.io.IOException;

/**
 * Thrown when a transaction or reader names a blob that does not exist, or does not exist any
 * longer.
 */
public final class MissingBlobException extends IOException {
    private static final long serialVersionUID = 1L;

    public MissingBlobException(BlobId blob) {
        super("blob " + blob.value() + " does not exist");
    }
}
