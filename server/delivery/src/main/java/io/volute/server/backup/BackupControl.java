package io.volute.server.backup;

import io.volute.adminapi.BackupApi.Backup;
import java.io.IOException;
import java.util.Optional;

/** Starts backups of the store, one at a time, and shows the latest. Thread-safe. */
public interface BackupControl {
    /** Returns the latest backup. */
    Backup status();

    /**
     * Starts a backup, which goes on after the return.
     *
     * @param target absolute path of a directory, or {@code https://HOST/BUCKET/PREFIX}; empty for
     *     the configured one
     * @return false when one is running
     * @throws IOException when the target cannot be one
     */
    boolean begin(Optional<String> target) throws IOException;

    /**
     * Opens the backups of a target for reading.
     *
     * @param target as in {@link #begin}
     * @throws IOException when there are none, or they cannot be opened
     */
    SegmentCopies copies(Optional<String> target) throws IOException;
}
