package io.volute.storage.directory;

import io.volute.storage.directory.LogPlace.Kind;
import java.io.IOException;

/** The place of the log of an open cube, which can change. Thread-safe. */
public interface LogPlacement {

    /** Returns the place, and the state of a migration. */
    MigrationStatus status();

    /**
     * Begins to move the log to a place, in the background, or resumes that. A move to the place in
     * force gives up the one that is under way.
     *
     * @throws IllegalArgumentException when there is nothing to do, or not now; the message has the
     *     reason
     * @throws IOException when the place cannot take the log; nothing has changed then
     */
    MigrationStatus start(Kind to) throws IOException;
}
