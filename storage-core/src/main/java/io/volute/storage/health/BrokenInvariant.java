package io.volute.storage.health;

/**
 * Thrown when an invariant of the code does not hold, which is a bug. The cube takes no more
 * writes.
 */
public final class BrokenInvariant extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public BrokenInvariant(String message) {
        super(message);
    }
}
