package io.volute.storage.directory;

import io.volute.storage.report.UnderReplication;

/**
 * The place of a log, the state of its migration, and copies that are missing there.
 *
 * @param isRunning whether the migration goes on now
 */
public record MigrationStatus(
        LogPlace place, boolean isRunning, Progress progress, UnderReplication underReplication) {

    /** Returns the place in force. */
    public LogPlace.Kind store() {
        return place.store();
    }

    /** Returns the state of the migration. */
    public LogPlace.State state() {
        return place.state();
    }

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
