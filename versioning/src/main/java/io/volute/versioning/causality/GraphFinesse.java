package io.volute.versioning.causality;

/**
 * The Graph-Finesse algorithm (section 4.3). It keeps the graph of all versions, and freezes A only
 * when its last session has ended or an edge would close a cycle. One graph behind one lock serves
 * all objects and actors that can meet. It is not persistent: after a restart no session is open,
 * and a closed version needs no graph. Thread-safe.
 *
 * <p>The implicit edges from each version to the one before are part of the graph. Section 4.2.1's
 * rule on self-cycles is not used, although the paper allows it.
 *
 * <p>A version is pruned when it and all its ancestors are frozen. No edge can begin at any of
 * them, and no path leads from them back to an open version. Versions that are never overwritten
 * stay, so a graph may have a bound. Beyond it, the oldest versions whose ancestors are all pruned
 * are dropped as if they were frozen. From then on a version outside the graph counts as frozen,
 * and the next record with it on the left side freezes it. That costs a version more than
 * necessary, never a cycle.
 */
public final class GraphFinesse implements VersioningAlgorithm {
    private final CausalGraph graph = new CausalGraph();
    private final long sizeMax;

    /** Creates a graph without a bound. */
    public GraphFinesse() {
        this(Long.MAX_VALUE);
    }

    /** Creates a graph with a bound on the sum of its nodes and edges. */
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
     * Returns an algorithm that decides as another and also records its edges in this graph, so
     * that paths through objects of the other policy are found. All objects and actors that an
     * object of this policy can meet need it. No cycle can arise if the other is Cycle-Avoidance or
     * every-write.
     */
    public VersioningAlgorithm alongside(VersioningAlgorithm other) {
        return new VersioningAlgorithm() {
            @Override
            public Outcome offer(Dependent dependent, Ancestor ancestor) {
                // Under one lock, so that the new version is not used before its edge is in the
                // graph.
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

    /** Returns the number of versions in the graph. */
    public synchronized int nodeCount() {
        return graph.nodeCount();
    }

    /** Returns the number of edges that begin at versions in the graph, including implicit ones. */
    public synchronized long edgeCount() {
        return graph.edgeCount();
    }

    private Outcome freeze(VersionNode from, Ancestor ancestor) {
        graph.newerThan(from).ifPresent(newer -> requireUnseen(from, newer, ancestor.version()));
        add(from.next(), ancestor);
        return Outcome.FREEZE;
    }

    /**
     * Checks a caller that offers an old version again because it failed to store the next one.
     * That one may be known only as the next version, and as no node's ancestor.
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
