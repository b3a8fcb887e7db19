package io.volute.versioning.causality;

import java.util.OptionalLong;

/**
 * The immediate ancestors of an object or actor over all its versions, each with the latest version
 * known. A table may forget entries whenever it likes: a forgotten ancestor counts as new, which
 * costs a freeze and is never a wrong answer.
 */
public interface AncestorTable {
    /** The version at which this ancestor is known, if it is. */
    OptionalLong get(long id);

    /** Replaces what was known of this ancestor. */
    void put(long id, long version);

    /** Ancestors that are known now. */
    int size();

    /**
     * A table that forgets what was not asked for the longest time. Takes next to no memory while
     * it is empty; not thread-safe.
     */
    static AncestorTable bounded(int entriesMax) {
        return new LruAncestorTable(entriesMax);
    }
}
