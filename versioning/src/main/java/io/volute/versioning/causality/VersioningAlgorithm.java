package io.volute.versioning.causality;

/**
 * Decides for each causality record A<sub>i</sub> → B<sub>j</sub>, which says that version i of A
 * depends on version j of B, whether A must be frozen for it.
 *
 * <p>Thread-safe, as far as the records of one A are offered one after another: the caller holds A
 * from before he reads its present version until the outcome is visible to the next who offers.
 *
 * <p>A decision counts from the moment it is made. A caller who then fails to store it, and offers
 * A<sub>i</sub> again, gets at worst a freeze more; what went into the ancestor table he undoes
 * himself. Where several records belong to one write, those behind the first that froze A may
 * freeze it again; nobody has seen the versions in between, and they have no state to keep. Or they
 * are told by {@link #begun}.
 */
@FunctionalInterface
public interface VersioningAlgorithm {
    /** Offers the record {@code dependent} → {@code ancestor}, whose versions both exist. */
    Outcome offer(Dependent dependent, Ancestor ancestor);

    /**
     * This version was frozen by something else than a record: its last session has ended, or it
     * had become too old. Later records on the left side of which its object stands name a later
     * version or say {@link Sessions#CLOSED}.
     */
    default void frozen(VersionNode version) {}

    /**
     * A version that begins with the write that is being made depends on this, too: its first of
     * all, or the next record behind the one that froze. It is not offered, as nobody has seen the
     * version yet: no edge of it closes a cycle.
     */
    default void begun(VersionNode version, Ancestor ancestor) {}

    /**
     * The algorithm of a policy.
     *
     * @param graph what {@link HistoryPolicy#GRAPH_FINESSE} decides by; unused by the others
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
