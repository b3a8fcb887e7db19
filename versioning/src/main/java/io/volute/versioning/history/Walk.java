package io.volute.versioning.history;

import io.volute.versioning.history.Taint.Reached;
import java.io.IOException;
import java.util.Optional;

/** A walk through the graph that can be interrupted and continued. Not thread-safe. */
interface Walk {
    /** Continues until this many steps can be returned, or the walk ends. */
    void reach(int count) throws IOException;

    /** Returns the next step; empty when there is none left. */
    Optional<Reached> next();

    boolean hasNext();
}
