package io.volute.storage.directory;

/**
 * The place of a log, and the state of its migration.
 *
 * @param store place in force
 * @param isRunning whether the migration goes on now
 */
public record MigrationStatus(
        LogPlace.Kind store, LogPlace.State state, boolean isRunning, Progress progress) {

    /**
     * The progress of a migration.
     *
     * @param copied segments that are in both places
     * @param segments segments of the log
     * @param bytes bytes copied since the migration began or went on
     * @param why the reason why it does not go on; empty otherwise
     */
    public record Progress(int copied, int segments, long bytes, String why) {
        public static final Progress NONE = new Progress(0, 0, 0, "");

        /** Returns the progress of a migration that has stopped. */
        public Progress stopped(String reason) {
            return new Progress(copied, segments, bytes, reason);
        }
    }
}
