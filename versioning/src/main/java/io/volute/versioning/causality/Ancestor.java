package io.volute.versioning.causality;

import java.util.Optional;

/**
 * B<sub>j</sub>, the right side of a record A<sub>i</sub> → B<sub>j</sub>.
 *
 * @param version the version that A depends on; need not be the present version of B
 * @param sessions sessions of this version; OPEN if unknown, which only costs Graph-Finesse memory
 * @param lastAncestor target of the latest edge of B<sub>j</sub>. Only rule CA.self-cycle needs it,
 *     and is off without it. The rule also discards the write of an actor that has just read the
 *     state it overwrites. To keep such a state, with its edge in the history, omit this when A is
 *     an object and B an actor
 */
public record Ancestor(VersionNode version, Sessions sessions, Optional<VersionNode> lastAncestor) {

    /**
     * Returns the version as an object of its own: no newer version of B subsumes it. The id is a
     * hash, as that of each key.
     */
    public Ancestor byItself() {
        long hash = (version.id() ^ version.version() * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
        return new Ancestor(
                new VersionNode(hash ^ hash >>> 32 | Long.MIN_VALUE, version.version()),
                sessions,
                lastAncestor);
    }
}
