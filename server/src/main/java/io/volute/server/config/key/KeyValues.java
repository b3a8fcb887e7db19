package io.volute.server.config.key;

/** The values of keys, and the errors in them. Used by one thread. */
public interface KeyValues {
    /** Returns the value of a key; its default if the value is wrong, which is an error then. */
    <T> T get(Key<T> key);

    /**
     * Adds an error that no single key shows.
     *
     * @param message names the keys and what to write
     */
    void problem(String message);
}
