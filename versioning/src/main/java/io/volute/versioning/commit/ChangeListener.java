package io.volute.versioning.commit;

import io.volute.storage.Transaction;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;

/**
 * Receives each change of one batch once, in their order, and adds its own rows to the commit. A
 * batch calls {@link #changed} for each change, then {@link #addCauses}, {@link #addTo} and {@link
 * #committed} once each, as far as the commit comes, and in any case {@link #release}. The caller
 * holds the locks of all changed keys. Not thread-safe.
 */
public interface ChangeListener {
    /**
     * Receives a change before its row is written.
     *
     * @param row the version as its row will have it
     * @return the version as its row will have it, with the marks of this listener
     */
    ObjectVersion changed(StateChange change, ObjectVersion row);

    /** Returns an estimate of the bytes that this listener adds to the commit. */
    default long bytes() {
        return 0;
    }

    /** Adds rows that must precede those of the changes. */
    default void addCauses(Transaction transaction) {}

    /**
     * Adds rows.
     *
     * @throws IOException when something that they depend on cannot be read; nothing is committed
     */
    default void addTo(Transaction transaction) throws IOException {}

    /** Called when the changes are durable. */
    default void committed() {}

    /** Lets go of what the listener holds, whether or not the changes were committed. */
    default void release() {}
}
