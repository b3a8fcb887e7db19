package io.volute.versioning;

import java.io.IOException;

/** Removes kept states of the history, oldest first. Thread-safe. */
public interface Retention {

    /**
     * Removes expired history. Call it regularly.
     *
     * @return the number of states removed
     */
    long trim() throws IOException;

    /**
     * Removes about this many of the oldest kept states, regardless of their age.
     *
     * @return the number of states removed
     */
    long trimOldest(long states) throws IOException;

    /**
     * Removes the oldest kept states of about this many bytes, content and rows.
     *
     * @return the number of states removed
     */
    long trimOldestBytes(long bytes) throws IOException;

    /**
     * Removes the oldest kept states, regardless of their age, until about this many bytes are
     * kept, content and rows. Scans all kept states.
     *
     * @return the number of states removed
     */
    long trimTo(long bytes) throws IOException;
}
