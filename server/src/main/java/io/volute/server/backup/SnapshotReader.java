package io.volute.server.backup;

import io.volute.server.backup.Manifest.Item;
import io.volute.server.backup.Manifest.Pack;
import io.volute.server.backup.Manifest.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the files of a snapshot. It keeps the packs read last. Used by one thread. */
final class SnapshotReader {
    private static final int PACKS_KEPT = 4;

    /** Receives the bytes of a file in their order. */
    interface Sink {
        void content(long offset, byte[] content) throws IOException;
    }

    private final Repository repository;
    private final Manifest manifest;
    private final Map<Integer, PackReader> kept =
            new LinkedHashMap<>(PACKS_KEPT * 2, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, PackReader> eldest) {
                    return size() > PACKS_KEPT;
                }
            };

    SnapshotReader(Repository repository, Manifest manifest) {
        this.repository = repository;
        this.manifest = manifest;
    }

    /**
     * Reads a file.
     *
     * @throws IOException when some of its bytes are missing or damaged
     */
    void read(Item file, Sink sink) throws IOException {
        long offset = 0;
        for (Piece piece : file.pieces()) {
            PackReader pack = pack(piece.pack());
            long begin = offset;
            for (int frame = piece.frame(); frame < piece.frame() + piece.frames(); frame++) {
                byte[] content = pack.frame(frame);
                sink.content(offset, content);
                offset += content.length;
            }
            require(offset - begin == piece.bytes(), file, piece.bytes(), offset - begin);
        }
        require(offset == file.bytes(), file, file.bytes(), offset);
    }

    /**
     * Reads a part of a file.
     *
     * @return empty when the file ends before
     * @throws IOException when some of its bytes are missing or damaged
     */
    Optional<ByteBuffer> read(Item file, long offset, int bytes) throws IOException {
        if (offset + bytes > file.bytes()) {
            return Optional.empty();
        }
        ByteBuffer target = ByteBuffer.allocate(bytes);
        long at = 0;
        for (Piece piece : file.pieces()) {
            long end = at + piece.bytes();
            if (end > offset && at < offset + bytes) {
                PackReader pack = pack(piece.pack());
                long begin = at;
                for (int frame = piece.frame(); frame < piece.frame() + piece.frames(); frame++) {
                    int length = pack.contentBytes(frame);
                    long from = Math.max(offset, begin);
                    long to = Math.min(offset + bytes, begin + length);
                    if (from < to) {
                        target.put(pack.frame(frame), (int) (from - begin), (int) (to - from));
                    }
                    begin += length;
                }
            }
            at = end;
        }
        return target.hasRemaining() ? Optional.empty() : Optional.of(target.flip());
    }

    private static void require(boolean isTrue, Item file, long expected, long found)
            throws IOException {
        if (!isTrue) {
            throw new IOException(
                    file.path() + ": expected " + expected + " bytes in packs, found " + found);
        }
    }

    /** Returns a pack whose hash is that of the manifest. */
    PackReader pack(int number) throws IOException {
        if (number < 0 || number >= manifest.packs().size()) {
            throw new IOException("the manifest has no pack " + number);
        }
        PackReader known = kept.get(number);
        if (known != null) {
            return known;
        }
        Pack pack = manifest.packs().get(number);
        byte[] object =
                repository
                        .target()
                        .get(pack.name())
                        .orElseThrow(() -> new IOException(pack.name() + " is missing"));
        if (object.length != pack.bytes() || !Hashes.hex(object).equals(pack.sha256())) {
            throw new IOException(pack.name() + " is damaged: its hash differs");
        }
        PackReader read = new PackReader(pack.name(), object, repository.codec());
        if (read.frames() != pack.frames()) {
            throw new IOException(pack.name() + " is damaged: it has other frames");
        }
        kept.put(number, read);
        return read;
    }
}
