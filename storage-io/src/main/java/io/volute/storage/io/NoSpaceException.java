package io.volute.storage.io;

import java.io.IOException;
import java.util.Locale;

/** Thrown when the file system has no space, or no quota, left for a write. */
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message, IOException cause) {
        super(message, cause);
    }

    /**
     * Returns whether the failure is this exception, or the operating system's own error for lack
     * of space.
     */
    public static boolean isNoSpace(IOException failure) {
        if (failure instanceof NoSpaceException) {
            return true;
        }
        String message = failure.getMessage();
        if (message == null) {
            return false;
        }
        String lower = message.toLowerCase(Locale.ROOT);
        return lower.contains("no space left") || lower.contains("quota exceeded");
    }
}
