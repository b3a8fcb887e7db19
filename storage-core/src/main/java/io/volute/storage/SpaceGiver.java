package io.volute.storage;

/**
 * An owner of live data that can be released when space is short, such as the history of a bucket.
 */
@FunctionalInterface
public interface SpaceGiver {
    /**
     * Called when clients wait for space. The callers are the waiting threads and the committing
     * thread, and they call often: the method must neither wait nor use the cube, and must release
     * data on another thread.
     *
     * @param isCleaningHelping false when cleaning wins nothing at present
     * @return whether data will be released; as long as this is true, clients get BUSY rather than
     *     FULL
     */
    boolean spaceIsShort(boolean isCleaningHelping);
}
