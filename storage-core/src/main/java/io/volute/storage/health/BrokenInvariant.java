package io.volute.storage.health;

/** A mistake of our own: what the code relies on does not hold. The cube takes no more writes. */
public final class BrokenInvariant extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public BrokenInvariant(String message) {
        super(message);
    }
}
