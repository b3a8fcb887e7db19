package io.volute.storage.cube;

/** A mistake of our own: what the code relies on does not hold. The cube takes no more writes. */
final class BrokenInvariant extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    BrokenInvariant(String message) {
        super(message);
    }
}
