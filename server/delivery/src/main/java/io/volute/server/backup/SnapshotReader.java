package io.volute.server.backup;

import io.volute.server.backup.Manifest.Item;
import io.volute.server.backup.Manifest.Pack;
import io.volute.server.backup.Manifest.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the files of a snapshot. It keeps the packs read last. Used by one thread. */
final class SnapshotReader {
    private static final int PACKS_KEPT = 4;

    /** Receives the bytes of a file in their order. */
    interface Sink {
        void content(long offset, byte[] content) throws IOException;
    }

    private final Repository repository;
    private final Manifest manifest;
    private final Set<String> packProblems = new LinkedHashSet<>();
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
     * Bytes of a file of which the target has no right ones.
     *
     * @param why names the pack
     */
    record Loss(String file, long offset, long bytes, String why) {
        String words() {
            return file + " at offset " + offset + ", " + bytes + " bytes: " + why;
        }
    }

    /**
     * Reads a file as far as the target has it. Lost bytes are passed on as zeros, or as what can
     * still be read of them.
     *
     * @throws IOException when the target cannot be reached
     */
    void readDespiteDamage(Item file, Sink sink, Consumer<Loss> losses) throws IOException {
        long offset = 0;
        for (Piece piece : file.pieces()) {
            long end = offset + piece.bytes();
            Optional<PackReader> pack = Optional.empty();
            try {
                pack = Optional.of(packDespiteDamage(piece.pack()));
            } catch (IOException e) {
                requireTarget();
                losses.accept(new Loss(file.path(), offset, piece.bytes(), e.getMessage()));
            }
            int frames = pack.isPresent() ? piece.frames() : 0;
            for (int i = 0; i < frames; i++) {
                byte[] content = despiteDamage(pack.get(), piece.frame() + i, file, offset, losses);
                sink.content(offset, content);
                offset += content.length;
            }
            if (pack.isPresent() && offset != end) {
                losses.accept(
                        new Loss(file.path(), offset, end - offset, "its frames have other bytes"));
            }
            offset = end;
        }
    }

    private static byte[] despiteDamage(
            PackReader pack, int frame, Item file, long offset, Consumer<Loss> losses) {
        try {
            return pack.frame(frame);
        } catch (IOException e) {
            byte[] content = pack.salvaged(frame);
            losses.accept(new Loss(file.path(), offset, content.length, e.getMessage()));
            return content;
        }
    }

    /** Returns what is wrong with the packs that were read despite damage. */
    Set<String> packProblems() {
        return packProblems;
    }

    /** A bad sector of a target is damage; a target that does not answer is none. */
    private void requireTarget() throws IOException {
        List<String> unused = repository.target().list(Repository.SNAPSHOTS);
    }

    /**
     * Returns a pack whose frames verify themselves, also if its hash is not that of the manifest.
     *
     * @throws IOException when it is missing, or its index is damaged
     */
    private PackReader packDespiteDamage(int number) throws IOException {
        try {
            return pack(number);
        } catch (IOException e) {
            Pack pack = listed(number);
            PackReader read = new PackReader(pack.name(), object(pack), repository.codec());
            packProblems.add(e.getMessage());
            kept.put(number, read);
            return read;
        }
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
        PackReader known = kept.get(number);
        if (known != null) {
            return known;
        }
        Pack pack = listed(number);
        byte[] object = object(pack);
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

    private Pack listed(int number) throws IOException {
        if (number < 0 || number >= manifest.packs().size()) {
            throw new IOException("the manifest has no pack " + number);
        }
        return manifest.packs().get(number);
    }

    private byte[] object(Pack pack) throws IOException {
        return repository
                .target()
                .get(pack.name(), PackWriter.MOST_BYTES)
                .orElseThrow(() -> new IOException(pack.name() + " is missing"));
    }
}
