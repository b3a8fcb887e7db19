package io.volute.server.backup;

import io.volute.server.backup.Manifest.Item;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes a snapshot to a new data directory. The mark of the directory comes last, so a server
 * refuses a directory whose restore was ended. Used by one thread.
 */
public final class DataDirectoryRestore {
    private static final int PAGE = 4096;
    private static final byte[] ZEROS = new byte[PAGE];

    /** Greatest number of lines about lost bytes. */
    static final int MOST_LOSSES = 1000;

    /** Segment files; the newest head must have its space, because the log goes on in it. */
    private static final Pattern HEAD =
            Pattern.compile("(cubes/[^/]+/segments)/([0-9]{20})\\.head");

    private static final Pattern PATH =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,8}");

    private final Repository repository;
    private final FileSystem files;
    private final Verification.Watch watch;

    public DataDirectoryRestore(Repository repository, FileSystem files, Verification.Watch watch) {
        this.repository = repository;
        this.files = files;
        this.watch = watch;
    }

    /**
     * Restores a snapshot.
     *
     * @param directory absolute; must be empty or missing
     * @throws IOException when the directory has files, or the snapshot is not whole; what was
     *     written then stays, and is no data directory
     */
    public void run(Manifest manifest, Path directory) throws IOException {
        run(manifest, directory, SnapshotReader::read);
    }

    /**
     * Restores what can be read of a snapshot, to look at it. Lost bytes are zeros.
     *
     * @param directory absolute; must be empty or missing
     * @return what is lost, in the order of the files; at most {@link #MOST_LOSSES} lines
     * @throws IOException when the target cannot be reached, or the directory not be written
     */
    List<String> runDespiteDamage(Manifest manifest, Path directory) throws IOException {
        Set<String> lost = new LinkedHashSet<>();
        run(
                manifest,
                directory,
                (reader, file, sink) -> {
                    reader.readDespiteDamage(
                            file,
                            sink,
                            loss -> {
                                if (lost.size() < MOST_LOSSES) {
                                    lost.add(loss.words());
                                }
                            });
                    reader.packProblems().stream()
                            .filter(each -> lost.size() < MOST_LOSSES)
                            .forEach(lost::add);
                });
        return List.copyOf(lost);
    }

    /** Reads a file of a snapshot. */
    @FunctionalInterface
    private interface Reading {
        void read(SnapshotReader reader, Item file, SnapshotReader.Sink sink) throws IOException;
    }

    private void run(Manifest manifest, Path directory, Reading reading) throws IOException {
        List<String> there = files.list(directory);
        if (!there.isEmpty()) {
            throw new IOException(
                    directory + " is not empty: it has " + there.get(0) + "; choose another one");
        }
        DurableDirectories.create(files, directory);
        SnapshotReader reader = new SnapshotReader(repository, manifest);
        TreeMap<String, String> newestHeads = newestHeads(manifest);
        Optional<Item> mark = Optional.empty();
        long done = 0;
        long bytes = 0;
        for (Item file : manifest.files()) {
            requirePath(file.path());
            if (file.path().equals(StoreFiles.MARK)) {
                mark = Optional.of(file);
                continue;
            }
            if (StoreFiles.isCopyOfMark(file.path())) {
                continue;
            }
            boolean isFull = newestHeads.containsValue(file.path());
            write(sink -> reading.read(reader, file, sink), file, directory, isFull);
            done++;
            bytes += file.bytes();
            watch.passed(done, manifest.files().size(), bytes);
        }
        for (String missing : manifest.leftOut()) {
            requirePath(missing);
            DurableDirectories.create(files, directory.resolve(missing).getParent());
        }
        Item last =
                mark.orElseThrow(() -> new IOException("the snapshot has no " + StoreFiles.MARK));
        write(sink -> reading.read(reader, last, sink), last, directory, false);
        watch.passed(done + 1, manifest.files().size(), bytes + last.bytes());
    }

    private static void requirePath(String path) throws IOException {
        if (!PATH.matcher(path).matches()) {
            throw new IOException("a snapshot has no file of this path: " + path);
        }
    }

    private static TreeMap<String, String> newestHeads(Manifest manifest) {
        TreeMap<String, String> newest = new TreeMap<>();
        for (Item file : manifest.files()) {
            Matcher head = HEAD.matcher(file.path());
            if (head.matches()) {
                newest.merge(head.group(1), file.path(), (a, b) -> a.compareTo(b) > 0 ? a : b);
            }
        }
        return newest;
    }

    /** Passes on the bytes of a file. */
    @FunctionalInterface
    private interface Content {
        void passTo(SnapshotReader.Sink sink) throws IOException;
    }

    private void write(Content content, Item file, Path directory, boolean isFull)
            throws IOException {
        Path path = directory.resolve(file.path());
        DurableDirectories.create(files, path.getParent());
        try (StoredFile made = files.createPrivate(path)) {
            content.passTo((offset, bytes) -> write(made, offset, bytes));
            fill(made, file.bytes(), file.fileBytes(), isFull);
            made.force();
        }
        files.forceDirectory(path.getParent());
    }

    /** Leaves out pages of zeros, which are holes then, as they were in the store. */
    private static void write(StoredFile made, long offset, byte[] content) throws IOException {
        int begin = 0;
        for (int page = 0; page < content.length; page += PAGE) {
            int end = Math.min(page + PAGE, content.length);
            boolean isZero = Arrays.equals(content, page, end, ZEROS, 0, end - page);
            if (isZero) {
                put(made, offset, content, begin, page);
                begin = end;
            }
        }
        put(made, offset, content, begin, content.length);
    }

    private static void put(StoredFile made, long offset, byte[] content, int begin, int end)
            throws IOException {
        if (end > begin) {
            ByteBuffer bytes = ByteBuffer.wrap(content, begin, end - begin);
            made.write(bytes, offset + begin, WriteCause.CHECKPOINT);
        }
    }

    /** Gives the file its size, with space or with a hole. */
    private static void fill(StoredFile made, long written, long size, boolean isFull)
            throws IOException {
        if (!isFull) {
            if (made.size() < size) {
                made.write(ByteBuffer.wrap(ZEROS, 0, 1), size - 1, WriteCause.PREPARE);
            }
            return;
        }
        for (long offset = written; offset < size; ) {
            int bytes = (int) Math.min(PAGE - offset % PAGE, size - offset);
            made.write(ByteBuffer.wrap(ZEROS, 0, bytes), offset, WriteCause.PREPARE);
            offset += bytes;
        }
    }
}
