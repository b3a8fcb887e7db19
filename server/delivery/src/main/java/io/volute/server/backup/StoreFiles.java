package io.volute.server.backup;

import io.volute.provenance.format.Bytes;
import io.volute.server.backup.Manifest.CutOfCube;
import io.volute.storage.Cube;
import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.Pause;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.directory.MarkFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files of a running store: the segments of each cube as of one moment, then all other files of
 * the data directory. The others are read after that moment, so the keyring has every key that the
 * segments need. The index and the lock are no part of it: a start makes them.
 */
final class StoreFiles implements BackupSource {
    /** Files that unseal the others. They leave the machine only in an encrypted backup. */
    static final Set<String> PRIVATE = Set.of("keys/provenance.key", "keys/root.credential");

    /** Written last by a restore, because a data directory without it does not start. */
    static final String MARK = "volute.mark";

    private static final String KEYRING = "keys/encryption.keyring";
    private static final String CUBES = "cubes/";

    /** Files of a cube by which its log is kept. A restored log is in local files. */
    private static final Set<String> OF_LOG = Set.of("segments", "mirrors", "log.mark");

    private static final String SEGMENTS = "/segments";
    private static final String AUDIT = "audit/";
    private static final String AUDIT_RECORD = "audit.mark";

    private final StoreBackup.Store store;
    private final String id;
    private final boolean isPrivate;
    private final Optional<String> checkpoint;
    private final Map<Cube, LogSnapshot> snapshots = new LinkedHashMap<>();
    private final List<OtherCubes.Snapshot> others = new ArrayList<>();
    private final List<SourceFile> files = new ArrayList<>();
    private final List<CutOfCube> cubes = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();

    private StoreFiles(
            StoreBackup.Store store, String id, boolean isPrivate, Optional<String> checkpoint) {
        this.store = store;
        this.id = id;
        this.isPrivate = isPrivate;
        this.checkpoint = checkpoint;
    }

    /**
     * Takes the snapshot. Commits wait while those of several cubes of this node are taken, so that
     * they are of one moment. Those of cubes of other nodes are of a moment before.
     *
     * @param id identity of the store
     * @param isPrivate whether files that unseal the others are part of it
     * @param checkpoint newest checkpoint of the store, in Base64
     */
    static StoreFiles take(
            StoreBackup.Store store, String id, boolean isPrivate, Optional<String> checkpoint)
            throws IOException {
        StoreFiles taken = new StoreFiles(store, id, isPrivate, checkpoint);
        boolean isTaken = false;
        try {
            StoreBackup.AllCubes all = store.cubes().all();
            for (String each : all.elsewhere()) {
                taken.takeElsewhere(each);
            }
            taken.takeCubes(new TreeMap<>(all.here()));
            taken.takeOthers();
            taken.requireMarks(all.elsewhere());
            isTaken = true;
            return taken;
        } finally {
            if (!isTaken) {
                taken.close();
            }
        }
    }

    private void takeCubes(SortedMap<String, Cube> all) throws IOException {
        if (all.size() == 1) {
            takeCube(all.firstKey(), all.get(all.firstKey()));
            return;
        }
        try (Pause pause = all.get(all.firstKey()).pauseCommits()) {
            for (Map.Entry<String, Cube> each : all.entrySet()) {
                takeCube(each.getKey(), each.getValue());
            }
        }
    }

    private void takeElsewhere(String name) throws IOException {
        OtherCubes.Taken taken = store.others().snapshot(name);
        others.add(taken.log());
        cubes.add(new CutOfCube(name, taken.sequence()));
        addSegments(name, taken.log());
    }

    private void takeCube(String name, Cube cube) throws IOException {
        // Before the snapshot, which then has at least these commits.
        cubes.add(new CutOfCube(name, cube.lastSequence()));
        LogSnapshot snapshot = cube.snapshot();
        snapshots.put(cube, snapshot);
        addSegments(name, snapshot);
    }

    private void addSegments(String name, LogSnapshot snapshot) {
        for (SegmentFile segment : snapshot.files()) {
            files.add(
                    new SourceFile(
                            CUBES + name + SEGMENTS + "/" + segment.name(),
                            segment.bytes(),
                            segment.finalBytes(),
                            segment.fileBytes(),
                            marking(segment),
                            new SegmentContent(snapshot, segment)));
        }
    }

    /** Heads go on after a restore; other segments do not. The end of theirs may be a hole. */
    private static Marking marking(SegmentFile segment) {
        return segment.kind() == Kind.HEAD ? Marking.BOTH_ENDS : Marking.BEGIN;
    }

    private void takeOthers() throws IOException {
        Optional<Bytes> keyring = store.keyring().stored();
        // First, because the audit log must be as long as its record.
        Path record = store.directory().resolve(AUDIT_RECORD);
        if (Files.exists(record)) {
            takeFile(AUDIT_RECORD, record);
        }
        List<Path> found;
        try (Stream<Path> all = Files.walk(store.directory())) {
            found = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : found) {
            String path = store.directory().relativize(file).toString().replace('\\', '/');
            if (isMadeByStart(path)
                    || path.equals(AUDIT_RECORD)
                    || keyring.isPresent() && path.equals(KEYRING)) {
                continue;
            }
            if (PRIVATE.contains(path) && !isPrivate) {
                leftOut.add(path);
                continue;
            }
            takeFile(path, file);
        }
        keyring.ifPresent(bytes -> addSmall(KEYRING, bytes.toArray()));
    }

    /** The standby of a cube has its mark, without which a restored directory does not start. */
    private void requireMarks(List<String> elsewhere) throws IOException {
        for (String cube : elsewhere) {
            String mark = CUBES + cube + "/cube.mark";
            if (files.stream().noneMatch(file -> file.path().equals(mark))) {
                throw new IOException(
                        "this node has no standby of cube "
                                + cube
                                + " yet: make the backup when it has (volute cluster nodes)");
            }
        }
    }

    private static boolean isMadeByStart(String path) {
        String[] names = path.split("/");
        return path.equals("LOCK")
                || path.endsWith(".new")
                || isCopyOfMark(path)
                || (path.startsWith(CUBES)
                        && names.length > 2
                        && (OF_LOG.contains(names[2]) || names[2].startsWith("index")));
    }

    /**
     * Returns whether a file is the second copy of a mark. A restore must not write one: with it an
     * incomplete data directory would start.
     */
    static boolean isCopyOfMark(String path) {
        return path.endsWith(".mark" + MarkFile.COPY);
    }

    private void takeFile(String path, Path file) throws IOException {
        try (StoredFile open = store.files().open(file, Access.READ)) {
            long bytes = open.size();
            if (path.startsWith(AUDIT)) {
                Content content = new FileContent(store.files(), file);
                files.add(new SourceFile(path, bytes, bytes, bytes, Marking.BOTH_ENDS, content));
                return;
            }
            // It may be replaced at any time, and is small.
            ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(bytes));
            open.read(copy, 0);
            addSmall(path, copy.array());
        } catch (NoSuchFileException e) {
            // Removed since it was listed, as old audit logs are.
            return;
        }
    }

    private void addSmall(String path, byte[] bytes) {
        Content content = new CopiedContent(bytes);
        files.add(new SourceFile(path, bytes.length, 0, bytes.length, Marking.BEGIN, content));
    }

    private record SegmentContent(LogSnapshot snapshot, SegmentFile segment) implements Content {
        @Override
        public void read(long offset, ByteBuffer target) throws IOException {
            int wanted = target.remaining();
            requireAll(snapshot.read(segment, offset, target), wanted, segment.name());
        }

        @Override
        public void release() {
            snapshot.release(segment);
        }
    }

    private record FileContent(FileSystem files, Path file) implements Content {
        @Override
        public void read(long offset, ByteBuffer target) throws IOException {
            int wanted = target.remaining();
            try (StoredFile open = files.open(file, Access.READ)) {
                requireAll(open.read(target, offset), wanted, file.toString());
            }
        }

        @Override
        public void release() {
            // It is open only while it is read.
        }
    }

    private static void requireAll(int read, int wanted, String file) throws EOFException {
        if (read < wanted) {
            throw new EOFException(file + " has become shorter");
        }
    }

    private record CopiedContent(byte[] bytes) implements Content {
        @Override
        public void read(long offset, ByteBuffer target) {
            target.put(bytes, (int) offset, target.remaining());
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    @Override
    public String store() {
        return id;
    }

    @Override
    public List<SourceFile> files() {
        return List.copyOf(files);
    }

    @Override
    public List<CutOfCube> cubes() {
        return List.copyOf(cubes);
    }

    @Override
    public Optional<String> checkpoint() {
        return checkpoint;
    }

    @Override
    public List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    @Override
    public void requireRoom() throws IOException {
        for (OtherCubes.Snapshot each : others) {
            each.hold();
        }
        for (Map.Entry<Cube, LogSnapshot> each : snapshots.entrySet()) {
            long held = each.getValue().heldBytes();
            if (held > 0 && held > each.getKey().spaceAtGlance().totals().clientFree()) {
                throw new IOException(
                        "the backup held "
                                + held
                                + " bytes of segments that the store has cleaned, more than are"
                                + " free for clients, and gave them back. The next one continues"
                                + " with the data already sent; raise backup.rate, or free space");
            }
        }
    }

    @Override
    public void close() {
        snapshots.values().forEach(LogSnapshot::close);
        others.forEach(LogSnapshot::close);
    }
}
