package io.volute.server.upkeep;

import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.server.backup.Manifest;
import io.volute.server.metrics.UpkeepFigures.Backups;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The latest backup, and the figures of all since start. Thread-safe. */
final class BackupState {
    private static final Backup NONE =
            new Backup(
                    "none",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    0,
                    0,
                    0,
                    List.of(),
                    List.of(),
                    0,
                    Optional.empty());

    private static final Damages NO_DAMAGES = new Damages(List.of(), 0, Map.of());

    private Backup latest = NONE;
    private Backups figures = Backups.NONE;

    synchronized Backup latest() {
        return latest;
    }

    synchronized Backups figures() {
        return figures;
    }

    /** Begins a backup; returns false when one is running. */
    synchronized boolean begin(String target, String snapshot, Instant now) {
        if (latest.isRunning()) {
            return false;
        }
        latest =
                new Backup(
                        "running",
                        Optional.of(target),
                        Optional.of(snapshot),
                        Optional.of(now),
                        Optional.empty(),
                        0,
                        0,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        0,
                        Optional.empty());
        return true;
    }

    synchronized void passed(long files, long filesTotal, long readBytes, long sentBytes) {
        latest =
                new Backup(
                        latest.state(),
                        latest.target(),
                        latest.snapshot(),
                        latest.started(),
                        latest.ended(),
                        files,
                        filesTotal,
                        latest.bytesRead() + readBytes,
                        sentBytes,
                        latest.leftOut(),
                        List.of(),
                        0,
                        latest.failure());
    }

    /** Ends a backup, of a store with these damages. */
    synchronized void finish(Manifest made, Damages damages, Instant now) {
        end("finished", made.sentBytes(), made.leftOut(), damages, Optional.empty(), now);
        figures =
                new Backups(
                        figures.finished() + 1,
                        figures.failed(),
                        figures.sentBytes() + made.sentBytes(),
                        Duration.between(made.started(), now).toMillis() / 1e3,
                        Optional.of(made.started()));
    }

    synchronized void fail(String why, Instant now) {
        end("failed", latest.bytesSent(), List.of(), NO_DAMAGES, Optional.of(why), now);
        figures =
                new Backups(
                        figures.finished(),
                        figures.failed() + 1,
                        figures.sentBytes(),
                        figures.lastSeconds(),
                        figures.lastGood());
    }

    /** Notes the newest snapshot of an earlier run of the server. */
    synchronized void found(Instant lastGood) {
        figures =
                new Backups(
                        figures.finished(),
                        figures.failed(),
                        figures.sentBytes(),
                        figures.lastSeconds(),
                        Optional.of(lastGood));
    }

    private void end(
            String state,
            long sentBytes,
            List<String> leftOut,
            Damages damages,
            Optional<String> failure,
            Instant now) {
        latest =
                new Backup(
                        state,
                        latest.target(),
                        latest.snapshot(),
                        latest.started(),
                        Optional.of(now),
                        latest.files(),
                        latest.filesTotal(),
                        latest.bytesRead(),
                        sentBytes,
                        leftOut,
                        damages.damaged(),
                        damages.more(),
                        failure);
    }
}
