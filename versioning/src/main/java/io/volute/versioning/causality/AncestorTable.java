package io.volute.versioning.causality;

import java.util.OptionalLong;

/**
 * The immediate ancestors of an object or actor over all its versions, each with its latest known
 * version. A table may evict entries at any time. An evicted ancestor counts as new, which costs a
 * freeze and is never a wrong answer.
 */
public interface AncestorTable {
    /** Returns the known version of this ancestor; empty when it is unknown. */
    OptionalLong get(long id);

    /** Sets the known version of this ancestor. */
    void put(long id, long version);

    /** Returns the number of known ancestors. */
    int size();

    /**
     * Creates a table that evicts the least recently used entry. It takes almost no memory while it
     * is empty. Not thread-safe.
     */
    static AncestorTable bounded(int entriesMax) {
        return new LruAncestorTable(entriesMax);
    }
}
