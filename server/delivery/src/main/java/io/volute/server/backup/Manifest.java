package io.volute.server.backup;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The list of all files of a snapshot, and of the packs that hold their bytes. It is the last
 * object of a backup, so a snapshot without one does not exist. Its JSON form is in
 * docs/format/backup.md.
 *
 * @param name name of the snapshot, of the time at which its backup began
 * @param store identity of the store
 * @param taken instant of the snapshot; all later writes are missing
 * @param software version of the program that wrote it
 * @param checkpoint newest checkpoint in the snapshot, in Base64; empty for a store that signs
 *     nothing
 * @param leftOut paths of private files that are not in the snapshot
 * @param sentBytes bytes that this backup put into packs
 */
public record Manifest(
        String name,
        String store,
        Instant started,
        Instant taken,
        String software,
        List<CutOfCube> cubes,
        Optional<String> checkpoint,
        List<String> leftOut,
        long sentBytes,
        List<Pack> packs,
        List<Item> files) {
    public Manifest {
        cubes = List.copyOf(cubes);
        leftOut = List.copyOf(leftOut);
        packs = List.copyOf(packs);
        files = List.copyOf(files);
    }

    /**
     * The state of a cube in a snapshot.
     *
     * @param sequence sequence of a commit; the snapshot has all commits up to it
     */
    public record CutOfCube(String cube, long sequence) {}

    /**
     * A pack.
     *
     * @param name name of its object
     * @param sha256 hash of the whole object, in hex
     */
    public record Pack(String name, long bytes, int frames, String sha256) {}

    /**
     * A file.
     *
     * @param path relative to the data directory, with slashes
     * @param bytes bytes in the snapshot, from its beginning on
     * @param finalBytes bytes from its beginning on that a later snapshot has, too
     * @param fileBytes size of the file; the rest of it is zeros
     * @param mark hash of a part of its final bytes, in hex, by which the next backup recognises
     *     the file
     * @param pieces places of its bytes, in their order; one ends where the final bytes do
     */
    public record Item(
            String path,
            long bytes,
            long finalBytes,
            long fileBytes,
            String mark,
            List<Piece> pieces) {
        public Item {
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * Consecutive frames of a pack.
     *
     * @param pack index in the list of packs
     * @param frame number of the first frame in its pack
     * @param bytes bytes of the file in these frames
     */
    public record Piece(int pack, int frame, int frames, long bytes) {}

    /** Returns the ids of the segments of a cube of which this backup itself sent bytes. */
    public Set<Long> sentSegments(String cube) {
        String own = Repository.PACKS + name + "-";
        String directory = "cubes/" + cube + "/segments/";
        Set<Long> ids = new TreeSet<>();
        for (Item file : files) {
            boolean isSent =
                    file.path().startsWith(directory)
                            && file.pieces().stream()
                                    .anyMatch(
                                            each -> packs.get(each.pack()).name().startsWith(own));
            if (isSent) {
                String segment = file.path().substring(directory.length());
                ids.add(Long.parseLong(segment.substring(0, segment.indexOf('.'))));
            }
        }
        return ids;
    }

    /** Returns the bytes of all files. */
    public long bytes() {
        return files.stream().mapToLong(Item::bytes).sum();
    }
}
