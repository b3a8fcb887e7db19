package io.volute.server.backup;

import io.volute.server.backup.Manifest.Item;
import io.volute.server.deposit.BackupTarget;
import io.volute.storage.report.RecordRepair.Stretch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The segment files of all snapshots of a target. Only the packs of one snapshot are in memory.
 * Used by one thread.
 */
public final class SegmentCopies implements AutoCloseable {
    private final BackupTarget target;
    private final Repository repository;
    private final List<String> snapshots;
    private String opened = "";
    private Optional<Manifest> manifest = Optional.empty();
    private Optional<SnapshotReader> reader = Optional.empty();

    private SegmentCopies(BackupTarget target, Repository repository) throws IOException {
        this.target = target;
        this.repository = repository;
        this.snapshots = repository.snapshots().reversed();
    }

    /**
     * Opens the snapshots of a target, which is closed with them.
     *
     * @throws IOException when there are none, or they cannot be opened
     */
    public static SegmentCopies open(BackupTarget target, Optional<char[]> passphrase)
            throws IOException {
        try {
            return new SegmentCopies(target, Repository.open(target, passphrase));
        } catch (IOException | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    /**
     * Returns the bytes of a stretch of the log from the newest snapshot that has right ones; empty
     * when none has. A snapshot that cannot be read counts as one without them.
     */
    public Optional<ByteBuffer> read(String cube, Stretch stretch, Predicate<ByteBuffer> isRight) {
        String path = "cubes/" + cube + "/segments/" + stretch.file();
        for (String snapshot : snapshots) {
            Optional<ByteBuffer> bytes = read(snapshot, path, stretch);
            if (bytes.filter(isRight).isPresent()) {
                return bytes;
            }
        }
        return Optional.empty();
    }

    private Optional<ByteBuffer> read(String snapshot, String path, Stretch stretch) {
        try {
            if (!opened.equals(snapshot)) {
                Manifest found = repository.snapshot(snapshot);
                manifest = Optional.of(found);
                reader = Optional.of(new SnapshotReader(repository, found));
                opened = snapshot;
            }
            Optional<Item> file =
                    manifest.orElseThrow().files().stream()
                            .filter(each -> each.path().equals(path))
                            .findFirst();
            return file.isEmpty()
                    ? Optional.empty()
                    : reader.orElseThrow().read(file.get(), stretch.offset(), stretch.bytes());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        target.close();
    }
}
