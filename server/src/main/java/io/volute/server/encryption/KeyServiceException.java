package io.volute.server.encryption;

import java.io.IOException;

/** Thrown when a key service does not encrypt or decrypt. */
public final class KeyServiceException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kind of a failure. */
    public enum Kind {
        /** The service cannot be used now. The same call may succeed later. */
        UNAVAILABLE,
        /** The service has no such key, or the key does not decrypt this any more. */
        REFUSED
    }

    private final Kind kind;

    public KeyServiceException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public KeyServiceException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
