package io.volute.versioning;

import java.io.IOException;
import java.util.List;

/**
 * Users, keys, groups and policies as rows of a store, and the list of their changes. What is in
 * them is for the server to say. Thread-safe; who changes them from several threads orders the
 * changes himself.
 */
public interface Identities {

    /**
     * A row.
     *
     * @param kind 1 to 255, for the server to give
     * @param name unique among its kind, 1 to 256 bytes of UTF-8
     */
    record Identity(int kind, String name, byte[] content) {}

    /** All of them, by kind and name. */
    List<Identity> all() throws IOException;

    /**
     * Changes some, with one line of what was done, all in one commit: durable when it returns.
     *
     * @param written added or replaced
     * @param removed their contents mean nothing
     * @param told kept for good
     */
    void change(List<Identity> written, List<Identity> removed, byte[] told) throws IOException;

    /**
     * A change that was made.
     *
     * @param number ascends with each
     */
    record Told(long number, byte[] content) {}

    /**
     * What was done, oldest first.
     *
     * @param after the number behind which to begin, 0 for the beginning
     */
    List<Told> changes(long after, int max) throws IOException;
}
