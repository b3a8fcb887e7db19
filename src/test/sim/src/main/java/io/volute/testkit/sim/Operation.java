package io.volute.testkit.sim;

/** The kind of a numbered event of the {@link SimFileSystem}. */
public enum Operation {
    CREATE_DIRECTORY(true),
    CREATE(true),
    OPEN(false),
    LIST(false),
    RENAME(true),
    DELETE(true),
    FORCE_DIRECTORY(true),
    LOCK(true),
    WRITE(true),
    READ(false),
    FORCE(true),
    PUNCH(true);

    private final boolean changes;

    Operation(boolean changes) {
        this.changes = changes;
    }

    /**
     * Returns true if a crash after the event can leave another disk state than a crash before it.
     */
    public boolean changesDisk() {
        return changes;
    }
}
