package io.volute.versioning.causality;

/**
 * The Graph-Finesse algorithm (section 4.3): keeps the graph of all versions and freezes A only
 * when its last session has ended, or an edge would close a cycle. One graph serves all objects and
 * actors that can meet, behind one lock; it lives in memory only, since after a restart no session
 * is open and a closed version needs none.
 *
 * <p>The implicit edges from each version to the one before are part of the graph. Section 4.2.1's
 * rule on self-cycles is not used, although the paper allows it.
 *
 * <p>A version is pruned when it is frozen and all its ancestors are: no edge can begin at any of
 * them any more, and no path leads from them back to what can still change. What is never
 * overwritten stays, so a graph may be given a bound. Beyond it, versions whose ancestors are all
 * pruned are forgotten, oldest first, as if they were frozen: from then on each version the graph
 * does not know counts as frozen, and the next record on the left side of which it stands freezes
 * it. That is a version more than necessary, never a cycle.
 */
public final class GraphFinesse implements VersioningAlgorithm {
    private final CausalGraph graph = new CausalGraph();
    private final long sizeMax;

    /** A graph that grows as far as it must. */
    public GraphFinesse() {
        this(Long.MAX_VALUE);
    }

    /** A graph with a bound on its nodes and edges together. */
    public GraphFinesse(long sizeMax) {
        this.sizeMax = sizeMax;
    }

    @Override
    public synchronized Outcome offer(Dependent dependent, Ancestor ancestor) {
        VersionNode from = dependent.version();
        VersionNode to = ancestor.version();
        if (from.id() == to.id() && from.version() < to.version()) {
            throw new IllegalArgumentException(from + " cannot depend on " + to);
        }
        if (dependent.sessions() == Sessions.CLOSED || graph.isFrozen(from)) {
            return freeze(from, ancestor);
        }
        if (graph.isEdge(from, to)) {
            // Rule GF.dup.
            return Outcome.DISCARD;
        }
        if (graph.isPath(to, from)) {
            // Rule GF.detect.
            return freeze(from, ancestor);
        }
        // Rule GF.default.
        add(from, ancestor);
        return Outcome.ADD;
    }

    @Override
    public synchronized void frozen(VersionNode version) {
        graph.freeze(version);
    }

    @Override
    public synchronized void begun(VersionNode version, Ancestor ancestor) {
        add(version, ancestor);
    }

    /**
     * Decides as another algorithm does and tells the graph, so that paths through objects of the
     * other policy are found. Needed for all that an object of this policy can meet, actors above
     * all; no cycle can arise as long as the other is Cycle-Avoidance or every-write.
     */
    public VersioningAlgorithm alongside(VersioningAlgorithm other) {
        return new VersioningAlgorithm() {
            @Override
            public Outcome offer(Dependent dependent, Ancestor ancestor) {
                // At once, so that nobody meets the new version before its edge is in the graph.
                synchronized (GraphFinesse.this) {
                    Outcome outcome = other.offer(dependent, ancestor);
                    VersionNode from = dependent.version();
                    switch (outcome) {
                        case DISCARD -> {}
                        case ADD -> add(from, ancestor);
                        case FREEZE -> add(from.next(), ancestor);
                    }
                    return outcome;
                }
            }

            @Override
            public void frozen(VersionNode version) {
                GraphFinesse.this.frozen(version);
                other.frozen(version);
            }

            @Override
            public void begun(VersionNode version, Ancestor ancestor) {
                GraphFinesse.this.begun(version, ancestor);
                other.begun(version, ancestor);
            }
        };
    }

    /** Versions in the graph. */
    public synchronized int nodeCount() {
        return graph.nodeCount();
    }

    /** Edges that begin at versions in the graph, implicit ones included. */
    public synchronized long edgeCount() {
        return graph.edgeCount();
    }

    private Outcome freeze(VersionNode from, Ancestor ancestor) {
        graph.newerThan(from).ifPresent(newer -> requireUnseen(from, newer, ancestor.version()));
        add(from.next(), ancestor);
        return Outcome.FREEZE;
    }

    /**
     * What a caller says is not there yet must be what he failed to store: known here as the next
     * version only, and as nobody's ancestor.
     */
    private void requireUnseen(VersionNode from, VersionNode newer, VersionNode to) {
        if (!newer.equals(from.next()) || graph.isFrozen(newer) || graph.isPath(to, newer)) {
            throw new IllegalArgumentException(from + " is not the present version: " + newer);
        }
    }

    private void add(VersionNode from, Ancestor ancestor) {
        graph.add(from, ancestor.version(), ancestor.sessions());
        graph.shrinkTo(sizeMax);
    }
}
