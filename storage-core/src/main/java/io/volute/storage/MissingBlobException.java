package io.volute.storage;

import java.io.IOException;

/** A transaction or reader names a blob that is not (any longer) there. */
public final class MissingBlobException extends IOException {
    private static final long serialVersionUID = 1L;

    public MissingBlobException(BlobId blob) {
        super("blob " + blob.value() + " does not exist");
    }
}
