package io.volute.versioning.causality;

/**
 * Decides for each causality record A<sub>i</sub> → B<sub>j</sub> (version i of A depends on
 * version j of B) whether A must be frozen.
 *
 * <p>Thread-safe if the records of one A are offered one after another. The caller locks A from
 * before it reads the present version until the outcome is visible to the next caller.
 *
 * <p>A decision is final. A caller that fails to store it and offers A<sub>i</sub> again causes at
 * worst one more freeze, and must itself undo the change of the ancestor table. When several
 * records belong to one write, those after the first freeze may freeze A again. The versions in
 * between were never visible and have no state to keep. Alternatively pass those records to {@link
 * #begun}.
 */
@FunctionalInterface
public interface VersioningAlgorithm {
    /** Offers the record {@code dependent} → {@code ancestor}, whose versions both exist. */
    Outcome offer(Dependent dependent, Ancestor ancestor);

    /**
     * Reports that this version was frozen without a record: its last session has ended, or it was
     * too old. Later records with its object on the left side name a later version or {@link
     * Sessions#CLOSED}.
     */
    default void frozen(VersionNode version) {}

    /**
     * Adds a dependency of a version that begins with the current write: the first of its object,
     * or a further record after the one that froze. It is not offered, because the version is not
     * visible yet: no edge of it closes a cycle.
     */
    default void begun(VersionNode version, Ancestor ancestor) {}

    /**
     * Returns the algorithm of a policy.
     *
     * @param graph graph of {@link HistoryPolicy#GRAPH_FINESSE}; the other policies do not use it
     */
    static VersioningAlgorithm of(HistoryPolicy policy, GraphFinesse graph) {
        return switch (policy) {
            case NONE -> (dependent, ancestor) -> Outcome.DISCARD;
            case OPEN_CLOSE -> new OpenClose();
            case CYCLE_AVOIDANCE -> new CycleAvoidance();
            case GRAPH_FINESSE -> graph;
            case EVERY_WRITE -> (dependent, ancestor) -> Outcome.FREEZE;
        };
    }
}
