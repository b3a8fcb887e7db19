package io.volute.server.admin;

import io.volute.adminapi.BackupApi.Backup;
import io.volute.server.backup.BackupControl;
import io.volute.server.backup.SegmentCopies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Backups whose status the test sets. */
final class FakeBackups implements BackupControl {
    final List<String> begun = new ArrayList<>();
    boolean begins = true;
    Backup status =
            new Backup(
                    "failed",
                    Optional.of("/backups"),
                    Optional.of("20261121T100000Z-abcdef"),
                    Optional.of(AdminTestBed.NOW),
                    Optional.of(AdminTestBed.NOW),
                    1,
                    2,
                    3,
                    4,
                    List.of("keys/provenance.key"),
                    List.of(),
                    0,
                    Optional.of("the disk is full"));

    @Override
    public Backup status() {
        return status;
    }

    @Override
    public SegmentCopies copies(Optional<String> target) throws IOException {
        throw new IOException("there are no backups");
    }

    @Override
    public boolean begin(Optional<String> target) throws IOException {
        if (!target.orElse("/configured").startsWith("/")) {
            throw new IOException("a target is the absolute path of a directory");
        }
        begun.add(target.orElse("/configured"));
        return begins;
    }
}
