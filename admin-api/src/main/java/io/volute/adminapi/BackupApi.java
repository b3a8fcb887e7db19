package io.volute.adminapi;

import io.volute.adminapi.DamageApi.Damaged;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Backups that the server makes. */
public final class BackupApi {
    private BackupApi() {}

    /**
     * Asks for a backup.
     *
     * @param to absolute path of a directory on the server's machine, or {@code
     *     https://HOST/BUCKET/PREFIX}; empty for the configured target
     */
    public record BackupRequest(
            @Described(
                            "Absolute path of a directory on the server's machine, or"
                                    + " https://HOST/BUCKET/PREFIX; without it, the target of the"
                                    + " settings")
                    Optional<String> to) {}

    /**
     * The latest backup since the start of the server.
     *
     * @param state {@code none}, {@code running}, {@code finished} or {@code failed}
     * @param target empty before the first one
     * @param snapshot name of the snapshot; it exists when the backup has finished
     * @param files files that are done
     * @param bytesRead bytes that were not in an earlier backup
     * @param bytesSent bytes put to the target, compressed
     * @param leftOut private files that are not in the snapshot
     * @param damaged states whose bytes are damaged in the store, and so in the snapshot, if no
     *     repair came in between
     * @param moreDamaged number of those that are not in the list
     * @param failure why it failed
     */
    public record Backup(
            @Described(oneOf = {"none", "running", "finished", "failed"}) String state,
            Optional<String> target,
            @Described("Name of the snapshot") Optional<String> snapshot,
            Optional<Instant> started,
            Optional<Instant> ended,
            @Described("Files that are done") long files,
            long filesTotal,
            @Described("Bytes that no earlier snapshot has") long bytesRead,
            @Described("Put to the target, compressed") long bytesSent,
            @Described("Private files") List<String> leftOut,
            @Described("States whose bytes are damaged in the store, and so in the snapshot")
                    List<Damaged> damaged,
            long moreDamaged,
            @Described("Cause of the failure") Optional<String> failure) {
        public Backup {
            leftOut = List.copyOf(leftOut);
            damaged = damaged == null ? List.of() : List.copyOf(damaged);
        }

        public boolean isRunning() {
            return state.equals("running");
        }

        public boolean isFinished() {
            return state.equals("finished");
        }
    }
}
