package io.volute.versioning.causality;

/** The decision on a record A<sub>i</sub> → B<sub>j</sub>. */
public enum Outcome {
    /** The record has no information: a duplicate, subsumed by a later version, or a self-cycle. */
    DISCARD,

    /** A<sub>i</sub> depends on B<sub>j</sub> from now on and stays the present version of A. */
    ADD,

    /**
     * A<sub>i</sub> is frozen, and A<sub>i+1</sub>, which is now the present version of A, depends
     * on B<sub>j</sub>.
     */
    FREEZE
}
