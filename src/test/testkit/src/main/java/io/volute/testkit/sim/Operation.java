package io.volute.testkit.sim;

/** What a numbered event of the {@link SimFileSystem} did. */
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

    /** Whether a crash before it can leave something else on disk than a crash after it. */
    public boolean changesDisk() {
        return changes;
    }
}
