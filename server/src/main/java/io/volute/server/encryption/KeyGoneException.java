package io.volute.server.encryption;

import java.io.IOException;

/** Thrown when an object's data key cannot be opened. */
public final class KeyGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The reason why the key cannot be opened. */
    public enum Reason {
        /** The object's key was shredded: nothing can open it again. */
        SHREDDED,
        /** The customer's key is not the one of the write. */
        OTHER_KEY,
        /** The named key is not in the keyring, or the wrapped key was changed. */
        UNKNOWN_KEY
    }

    private final Reason reason;

    KeyGoneException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
