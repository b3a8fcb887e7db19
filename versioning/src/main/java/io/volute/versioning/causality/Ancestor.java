package io.volute.versioning.causality;

import java.util.Optional;

/**
 * B<sub>j</sub>, the right side of a record A<sub>i</sub> → B<sub>j</sub>.
 *
 * @param version what A depends on; need not be the present version of B
 * @param sessions of this version, open when in doubt: it costs Graph-Finesse memory, no more
 * @param lastAncestor of B<sub>j</sub>: what its latest edge points to. Only rule CA.self-cycle
 *     asks for it, and without it that rule does not hold. The rule discards the write of one who
 *     has just read what he overwrites, too: who wants such a state kept, and its edge in the
 *     history, leaves it out when A is an object and B an actor
 */
public record Ancestor(
        VersionNode version, Sessions sessions, Optional<VersionNode> lastAncestor) {}
