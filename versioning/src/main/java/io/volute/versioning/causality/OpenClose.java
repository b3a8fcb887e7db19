package io.volute.versioning.causality;

import java.util.OptionalLong;

/**
 * The open-close algorithm (section 4.1): the first write after the last close begins a new
 * version. It does not search for cycles. It removes duplicates as rules CA.2 and CA.3 do.
 */
final class OpenClose implements VersioningAlgorithm {
    @Override
    public Outcome offer(Dependent dependent, Ancestor ancestor) {
        VersionNode to = ancestor.version();
        OptionalLong known = dependent.ancestors().get(to.id());
        boolean isKnown = known.isPresent() && to.version() <= known.getAsLong();
        if (!isKnown) {
            dependent.ancestors().put(to.id(), to.version());
        }
        return switch (dependent.sessions()) {
            case CLOSED -> Outcome.FREEZE;
            case OPEN -> isKnown ? Outcome.DISCARD : Outcome.ADD;
        };
    }
}
