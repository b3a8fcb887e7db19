package io.volute.versioning.causality;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Graph-Finesse as the paper states it, on the graph of all that ever was: nothing is pruned. */
final class NaiveGraphFinesse implements VersioningAlgorithm {
    private final VersionGraph graph = new VersionGraph();
    private final Set<VersionNode> frozen = new HashSet<>();
    private final Set<VersionNode> mentioned = new HashSet<>();
    private final Map<Long, Long> newest = new HashMap<>();

    @Override
    public Outcome offer(Dependent dependent, Ancestor ancestor) {
        VersionNode from = dependent.version();
        VersionNode to = ancestor.version();
        boolean isClosed = dependent.sessions() == Sessions.CLOSED || frozen.contains(from);
        boolean isImplicit = from.id() == to.id() && from.version() == to.version() + 1;
        if (!isClosed && (isImplicit || graph.hasEdge(from, to))) {
            return Outcome.DISCARD;
        }
        if (ancestor.sessions() == Sessions.CLOSED) {
            frozen.add(to);
        }
        boolean freezes = isClosed || graph.reaches(to, from);
        if (freezes) {
            frozen.add(from);
        }
        VersionNode present = freezes ? from.next() : from;
        graph.add(present, to);
        mention(present);
        mention(to);
        return freezes ? Outcome.FREEZE : Outcome.ADD;
    }

    @Override
    public void frozen(VersionNode version) {
        frozen.add(version);
    }

    /** Versions that are part of an edge and may not be pruned. */
    long needed() {
        return mentioned.stream()
                .filter(node -> !graph.reachable(node).stream().allMatch(this::isFrozen))
                .count();
    }

    private void mention(VersionNode node) {
        mentioned.add(node);
        newest.merge(node.id(), node.version(), Math::max);
    }

    private boolean isFrozen(VersionNode node) {
        return frozen.contains(node) || node.version() < newest.getOrDefault(node.id(), 0L);
    }
}
