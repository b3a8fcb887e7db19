package io.volute.versioning;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Users, keys, groups and policies as rows of a store, with the log of their changes. The server
 * defines their content. Thread-safe for readers; the caller must order concurrent changes.
 */
public interface Identities {

    /**
     * A row.
     *
     * @param kind 1 to 255, assigned by the server
     * @param name unique among its kind, 1 to 256 bytes of UTF-8
     */
    record Identity(int kind, String name, byte[] content) {}

    /**
     * Returns whether another server has changed rows since the last call, or since these were
     * opened.
     */
    boolean follow();

    /** Takes rows. */
    @FunctionalInterface
    interface IdentityVisitor {
        void take(Identity row) throws IOException;
    }

    /** Visits all rows, by kind and name. */
    void visit(IdentityVisitor visitor) throws IOException;

    /** Returns a row; empty when there is none. */
    Optional<Identity> find(int kind, String name) throws IOException;

    /**
     * Changes rows and appends one line to the log of changes, in one commit; durable when it
     * returns.
     *
     * @param written rows to add or replace
     * @param removed rows to remove; their content is ignored
     * @param told the log line, which is never removed
     */
    void change(List<Identity> written, List<Identity> removed, byte[] description)
            throws IOException;

    /**
     * A line of the log of changes.
     *
     * @param number ascends with each change
     * @param content the log line
     */
    record IdentityChange(long number, byte[] content) {}

    /**
     * Returns lines of the log of changes, oldest first.
     *
     * @param after number behind which to begin, 0 for the beginning
     * @param max maximum number of lines
     */
    List<IdentityChange> changes(long after, int max) throws IOException;
}
