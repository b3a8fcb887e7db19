package io.volute.server.backup;

import io.volute.server.backup.BackupSource.Marking;
import io.volute.server.backup.BackupSource.SourceFile;
import io.volute.server.backup.Manifest.Item;
import io.volute.server.backup.Manifest.Pack;
import io.volute.server.backup.Manifest.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The files of earlier backups, whose bytes need not be sent again. Only bytes that never change
 * count, and only of a file that is recognised by its {@linkplain #mark mark}: after a restore of
 * an older snapshot, another segment may have the name of one in a later snapshot. Used by one
 * thread.
 */
final class EarlierFiles {
    private static final int FIRST_BYTES = 4096;
    private static final int LAST_BYTES = 512;

    /** Share of the frames of a pack that must be needed; else the pack is left to be pruned. */
    private static final double LEAST_USE = 0.5;

    /** Bytes of a file in earlier packs. */
    record Found(List<PlacedPiece> pieces, long bytes) {
        static final Found NOTHING = new Found(List.of(), 0);
    }

    /** A piece with its pack. */
    record PlacedPiece(Pack pack, Piece piece) {}

    private record Earlier(Item item, List<PlacedPiece> pieces) {
        long bytes() {
            return pieces.stream().mapToLong(each -> each.piece().bytes()).sum();
        }
    }

    private final Map<String, Earlier> byPath = new HashMap<>();

    /** Adds the files of a manifest. Of one path, the file with more bytes in packs counts. */
    void add(Manifest manifest) {
        List<Pack> packs = manifest.packs();
        long[] used = new long[packs.size()];
        manifest.files()
                .forEach(file -> file.pieces().forEach(each -> used[each.pack()] += each.frames()));
        for (Item file : manifest.files()) {
            List<PlacedPiece> pieces = new ArrayList<>();
            long end = 0;
            for (Piece each : file.pieces()) {
                Pack pack = packs.get(each.pack());
                end += each.bytes();
                if (end > file.finalBytes() || used[each.pack()] < LEAST_USE * pack.frames()) {
                    break;
                }
                pieces.add(new PlacedPiece(pack, each));
            }
            byPath.merge(
                    file.path(),
                    new Earlier(file, pieces),
                    (old, added) -> added.bytes() >= old.bytes() ? added : old);
        }
    }

    /**
     * Returns the places of the first bytes of a file, as many as earlier packs have.
     *
     * @throws IOException when the file cannot be read
     */
    Found find(SourceFile file) throws IOException {
        Earlier earlier = byPath.get(file.path());
        if (earlier == null || !isSame(file, earlier.item())) {
            return Found.NOTHING;
        }
        return new Found(earlier.pieces(), earlier.bytes());
    }

    private static boolean isSame(SourceFile file, Item earlier) throws IOException {
        return file.finalBytes() >= earlier.finalBytes()
                && mark(file, earlier.finalBytes()).equals(earlier.mark());
    }

    /**
     * Returns the hash of the first page of a file, which has the time at which a segment was made.
     * Two heads with one beginning differ in their last batch.
     *
     * @param bytes final bytes
     */
    static String mark(SourceFile file, long bytes) throws IOException {
        int first = (int) Math.min(FIRST_BYTES, bytes);
        int last = file.marking() == Marking.BOTH_ENDS ? (int) Math.min(LAST_BYTES, bytes) : 0;
        ByteBuffer read = ByteBuffer.allocate(first + last);
        file.content().read(0, read.limit(first));
        file.content().read(bytes - last, read.limit(first + last));
        return HexFormat.of().formatHex(Hashes.sha256(read.array()));
    }
}
