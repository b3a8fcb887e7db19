package io.volute.versioning.causality;

import java.util.OptionalLong;

/**
 * The Cycle-Avoidance algorithm (section 4.2): A is frozen whenever its table gains an ancestor.
 * Each edge then starts at a version that did not exist before, so that none can close a cycle,
 * whatever the table has forgotten.
 */
final class CycleAvoidance implements VersioningAlgorithm {
    @Override
    public Outcome offer(Dependent dependent, Ancestor ancestor) {
        VersionNode to = ancestor.version();
        if (ancestor.lastAncestor().filter(dependent.version()::equals).isPresent()) {
            // Rule CA.self-cycle: the content that B passes to A came from A.
            return Outcome.DISCARD;
        }
        OptionalLong known = dependent.ancestors().get(to.id());
        if (known.isPresent() && to.version() <= known.getAsLong()) {
            // Rules CA.2 and CA.3: a duplicate, or subsumed by the later version.
            return Outcome.DISCARD;
        }
        // Rules CA.1 and CA.4: B is new to A, or newer than known.
        dependent.ancestors().put(to.id(), to.version());
        return Outcome.FREEZE;
    }
}
