package io.volute.server.backup;

import io.volute.server.backup.BackupSource.SourceFile;
import io.volute.server.backup.EarlierFiles.Found;
import io.volute.server.backup.EarlierFiles.PlacedPiece;
import io.volute.server.backup.Manifest.Item;
import io.volute.server.backup.Manifest.Pack;
import io.volute.server.backup.Manifest.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes one snapshot in a repository:
 *
 * <ol>
 *   <li>An empty manifest under {@code unfinished/} marks the begin, so that no prune removes
 *       packs.
 *   <li>New bytes of files go to packs. Now and then the unfinished manifest lists the files so
 *       far. The next backup needs not send them again if this one is ended here.
 *   <li>The manifest under {@code snapshots/} makes the snapshot. A crash before leaves none.
 *   <li>The unfinished manifests of this backup and of those before are deleted.
 * </ol>
 *
 * Used by one thread.
 */
final class BackupJob {
    /** Packs between two puts of the unfinished manifest: 256 MiB. */
    private static final int PACKS_BETWEEN_NOTES = 16;

    /** In the list of packs in place of the present one; no manifest has it. */
    private static final Pack NOT_YET_PUT = new Pack("", 0, 0, "");

    /** Follows a backup. */
    interface Watch {
        /**
         * Called after each frame, and after each file.
         *
         * @param readBytes bytes read since the last call
         * @throws IOException to end the backup
         */
        void passed(Figures figures, long readBytes) throws IOException;
    }

    /**
     * The progress of a backup.
     *
     * @param files files that are done
     * @param sentBytes bytes put into packs
     */
    record Figures(long files, long filesTotal, long readBytes, long sentBytes) {
        static final Figures NONE = new Figures(0, 0, 0, 0);
    }

    /**
     * The constants of a backup.
     *
     * @param name name of the snapshot
     * @param software version of this program
     */
    record Terms(String name, Instant started, String software) {}

    private final Repository repository;
    private final Terms terms;
    private final Watch watch;
    private final EarlierFiles earlier = new EarlierFiles();
    private final List<String> adopted = new ArrayList<>();
    private final List<Pack> packs = new ArrayList<>();
    private final Map<String, Integer> packNumbers = new HashMap<>();
    private final List<Item> done = new ArrayList<>();
    private final ByteBuffer frame = ByteBuffer.allocate(FrameCodec.LONGEST_BYTES);
    private PackWriter pack;
    private int packNumber;
    private int written;
    private int noted;
    private long files;
    private long filesTotal;
    private long readBytes;
    private long sentBytes;

    BackupJob(Repository repository, Terms terms, Watch watch) {
        this.repository = repository;
        this.terms = terms;
        this.watch = watch;
        pack = newPack();
    }

    /**
     * Notes that the backup begins, and reads the manifests of earlier ones. Call it before the
     * snapshot of the source is taken: it may take long.
     */
    void begin(String store) throws IOException {
        // Before the manifests are read: see Prune.
        repository.putManifest(
                Repository.UNFINISHED,
                new Manifest(
                        terms.name(),
                        store,
                        terms.started(),
                        terms.started(),
                        terms.software(),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        0,
                        List.of(),
                        List.of()));
        List<String> snapshots = repository.snapshots();
        if (!snapshots.isEmpty()) {
            repository.manifest(Repository.SNAPSHOTS, snapshots.getLast()).ifPresent(earlier::add);
        }
        for (String name : repository.unfinished()) {
            adopted.add(name);
            repository.manifest(Repository.UNFINISHED, name).ifPresent(earlier::add);
        }
    }

    /**
     * Sends the files, and makes the snapshot.
     *
     * @param taken instant of the source
     */
    Manifest run(BackupSource source, Instant taken) throws IOException {
        List<SourceFile> all = source.files();
        filesTotal = all.size();
        for (SourceFile file : all) {
            done.add(send(source, file));
            file.content().release();
            files++;
            watch.passed(figures(), 0);
            if (written - noted >= PACKS_BETWEEN_NOTES && pack.isEmpty()) {
                noted = written;
                repository.putManifest(Repository.UNFINISHED, manifest(source, taken));
            }
        }
        putPack();
        Manifest manifest = manifest(source, taken);
        repository.putManifest(Repository.SNAPSHOTS, manifest);
        for (String name : adopted) {
            repository.target().delete(Repository.UNFINISHED + name);
        }
        return manifest;
    }

    private Item send(BackupSource source, SourceFile file) throws IOException {
        Found found = earlier.find(file);
        Pieces pieces = new Pieces(file.finalBytes());
        for (PlacedPiece each : found.pieces()) {
            Piece piece = each.piece();
            pieces.add(number(each.pack()), piece.frame(), piece.frames(), piece.bytes());
        }
        String mark = EarlierFiles.mark(file, file.finalBytes());
        long offset = found.bytes();
        while (offset < file.bytes()) {
            long end = offset < file.finalBytes() ? file.finalBytes() : file.bytes();
            int length = (int) Math.min(frame.capacity(), end - offset);
            file.content().read(offset, frame.clear().limit(length));
            byte[] content = new byte[length];
            frame.flip().get(content);
            if (pack.isEmpty()) {
                packNumber = packs.size();
                packs.add(NOT_YET_PUT);
            }
            pieces.add(packNumber, pack.add(content), 1, length);
            if (pack.isFull()) {
                putPack();
            }
            offset += length;
            readBytes += length;
            source.requireRoom();
            watch.passed(figures(), length);
        }
        return new Item(
                file.path(),
                file.bytes(),
                file.finalBytes(),
                file.fileBytes(),
                mark,
                pieces.list());
    }

    /** Collects the pieces of a file. Consecutive frames are one piece, on either side of a cut. */
    private static final class Pieces {
        private final long cut;
        private final List<Piece> list = new ArrayList<>();
        private long bytes;

        Pieces(long cut) {
            this.cut = cut;
        }

        void add(int pack, int frame, int frames, long length) {
            Piece piece = new Piece(pack, frame, frames, length);
            if (!list.isEmpty() && bytes != cut && follows(list.getLast(), piece)) {
                Piece last = list.removeLast();
                piece =
                        new Piece(
                                pack, last.frame(), last.frames() + frames, last.bytes() + length);
            }
            list.add(piece);
            bytes += length;
        }

        private static boolean follows(Piece last, Piece next) {
            return last.pack() == next.pack() && last.frame() + last.frames() == next.frame();
        }

        List<Piece> list() {
            return list;
        }
    }

    /** Returns the number of an earlier pack in the list of this snapshot. */
    private int number(Pack earlierPack) {
        return packNumbers.computeIfAbsent(
                earlierPack.name(),
                name -> {
                    packs.add(earlierPack);
                    return packs.size() - 1;
                });
    }

    private PackWriter newPack() {
        written++;
        return new PackWriter(Repository.PACKS + terms.name() + "-" + written, repository.codec());
    }

    private void putPack() throws IOException {
        if (pack.isEmpty()) {
            return;
        }
        byte[] object = pack.finish();
        repository.target().put(pack.name(), object);
        packs.set(
                packNumber,
                new Pack(pack.name(), object.length, pack.frames(), Hashes.hex(object)));
        sentBytes += object.length;
        pack = newPack();
    }

    private Figures figures() {
        return new Figures(files, filesTotal, readBytes, sentBytes);
    }

    private Manifest manifest(BackupSource source, Instant taken) {
        return new Manifest(
                terms.name(),
                source.store(),
                terms.started(),
                taken,
                terms.software(),
                source.cubes(),
                source.checkpoint(),
                source.leftOut(),
                sentBytes,
                packs,
                done);
    }
}
