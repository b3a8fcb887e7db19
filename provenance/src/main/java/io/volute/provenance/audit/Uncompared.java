package io.volute.provenance.audit;

/** A kind of evidence in the scope of an audit that could not be compared. */
public enum Uncompared {
    /** No entry proves them, because nothing was signed when they were made or could change. */
    UNSIGNED_TIMES("versions from times without signatures"),
    /** The audit compares no state, so it cannot bound these changes. */
    UNSIGNED_PERIODS("periods in which signatures were off"),
    /** The chain of the source is not in the export. */
    SOURCES("sources of copies and restores that the export lacks"),
    /** The entry has the hash encrypted, or is older than such hashes. */
    METADATA("versions whose entries hide their metadata"),
    /** A copy or restore of something from before provenance. */
    CONTENTS("contents whose entries have no hash"),
    /** Needs the store's own chain. */
    REMOVALS("removed entries, as the signed settings of then are missing"),
    /** An operator began the store's own chain anew. */
    LOST_SETTINGS("losses of the signed history of settings, and all changes before them");

    private final String text;

    Uncompared(String text) {
        this.text = text;
    }

    /** Returns what is counted, in the plural. */
    public String text() {
        return text;
    }
}
