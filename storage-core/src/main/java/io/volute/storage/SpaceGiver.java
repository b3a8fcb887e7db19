package io.volute.storage;

/** Who keeps something live that can be done without, and lets it go when space is short. */
@FunctionalInterface
public interface SpaceGiver {
    /**
     * Clients wait for space. Called often, by the threads that wait and by the one that commits:
     * must neither wait nor use the cube; what goes is removed on another thread.
     *
     * @param isCleaningHelping false when cleaning wins nothing as things are
     * @return whether something will go; as long as that is said no client hears that the store is
     *     full, but to try again in a moment
     */
    boolean spaceIsShort(boolean isCleaningHelping);
}
