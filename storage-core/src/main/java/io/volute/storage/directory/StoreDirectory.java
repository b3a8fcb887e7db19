package io.volute.storage.directory;

import io.volute.storage.CubeOptions;
import io.volute.storage.Cubes;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The data directory of a server, and the lock on it. It holds:
 *
 * <pre>
 *   LOCK              held while a server runs
 *   volute.mark       kind and format of the directory, time of its creation; format 2: there may
 *                     be several cubes; names of the files that must be there
 *   cubes/NAME        one directory for each cube (see {@link Cubes})
 *   NAME.mark         a note of this name
 *   NAME.mark.copy    second copy of each mark
 * </pre>
 */
public final class StoreDirectory implements AutoCloseable {
    /** Greatest number of bytes of a note, so that every note can be read again. */
    public static final int REMEMBERED_BYTES_MAX = 4000;

    private static final String LOCK = "LOCK";
    private static final String MARK = "volute.mark";
    private static final String CUBES = "cubes";
    private static final String WHAT = "volute-store";
    private static final int ONE_CUBE = 1;
    private static final int SEVERAL_CUBES = 2;
    private static final String FORMAT = "format";
    private static final String HAS = "has";
    private static final String RETIRED = ".deleted-";
    private static final String NAME_FORM = "[a-z0-9][a-z0-9-]{0,62}";

    private final FileSystem files;
    private final Path directory;
    private final FileSystem.DirectoryLock lock;

    private StoreDirectory(FileSystem files, Path directory, FileSystem.DirectoryLock lock) {
        this.files = files;
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Locks the directory, and creates it when it is missing.
     *
     * @throws IOException when another server uses the directory, a later release wrote it, it
     *     cannot be written, or it is something else; the message gives the next step
     */
    public static StoreDirectory open(Path directory, FileSystem files, InstantSource clock)
            throws IOException {
        FileSystem.DirectoryLock lock = lock(directory, files);
        boolean opened = false;
        try {
            mark(directory, files, clock);
            opened = true;
            return new StoreDirectory(files, directory, lock);
        } catch (IOException | ReadOnlyFileSystemException e) {
            throw explained(directory, e);
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static FileSystem.DirectoryLock lock(Path directory, FileSystem files)
            throws IOException {
        try {
            DurableDirectories.create(files, directory);
        } catch (IOException | ReadOnlyFileSystemException e) {
            throw explained(directory, e);
        }
        try {
            return files.lock(directory.resolve(LOCK));
        } catch (IOException | ReadOnlyFileSystemException e) {
            if (isUnwritable(e)) {
                throw explained(directory, e);
            }
            throw new IOException(
                    "another server uses this directory: "
                            + directory
                            + ". Stop that server, or choose another directory with --data ("
                            + e.getMessage()
                            + ")",
                    e);
        }
    }

    private static void mark(Path directory, FileSystem files, InstantSource clock)
            throws IOException {
        MarkFile mark = new MarkFile(files, directory.resolve(MARK));
        Optional<Map<String, String>> lines = mark.read();
        if (lines.isPresent()) {
            CubeMark.requireFormat(directory.resolve(MARK), lines.get(), WHAT, SEVERAL_CUBES);
            // A start that was killed may have left the mark in the page cache only.
            files.forceDirectory(directory);
            mark.mend(lines.get());
            return;
        }
        if (!files.list(directory.resolve(CUBES)).isEmpty()) {
            throw new IOException(
                    directory
                            + " holds cubes and no "
                            + MARK
                            + ": restore that file from a backup, or choose another directory");
        }
        Map<String, String> fresh = new LinkedHashMap<>();
        fresh.put("what", WHAT);
        fresh.put(FORMAT, Integer.toString(ONE_CUBE));
        fresh.put("created", clock.instant().toString());
        mark.write(fresh);
    }

    private static boolean isUnwritable(Exception e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        return e instanceof AccessDeniedException
                || e instanceof ReadOnlyFileSystemException
                || message.contains("read-only")
                || message.contains("permission denied");
    }

    private static IOException explained(Path directory, Exception e) {
        if (!isUnwritable(e)) {
            return e instanceof IOException known ? known : new IOException(e);
        }
        return new IOException(
                "cannot write to the data directory "
                        + directory
                        + ": give the user of this process write permission, or choose another"
                        + " directory with --data ("
                        + e
                        + ")",
                e);
    }

    /**
     * Returns the directory of a cube, for {@link CubeOptions}. It is durable, and empty when it is
     * new.
     */
    public Path cube(String name) throws IOException {
        if (!isCubeName(name)) {
            throw new IllegalArgumentException("bad name of a cube: " + name);
        }
        Path cube = directory.resolve(CUBES).resolve(name);
        DurableDirectories.create(files, cube);
        return cube;
    }

    /** Returns whether a cube can have this name. */
    public static boolean isCubeName(String name) {
        return name.matches(NAME_FORM);
    }

    /** Returns the names of the existing cubes, sorted. */
    public List<String> cubes() throws IOException {
        return files.list(directory.resolve(CUBES)).stream()
                .filter(StoreDirectory::isCubeName)
                .toList();
    }

    /** Returns the identity of an existing cube; empty when the directory has no such cube. */
    public Optional<UUID> identity(String name) throws IOException {
        return CubeMark.read(files, directory.resolve(CUBES).resolve(name));
    }

    /**
     * Marks the directory as one with several cubes, before the second one is created. Releases
     * that know one cube only refuse it from then on.
     */
    public synchronized void allowSeveralCubes() throws IOException {
        MarkFile mark = new MarkFile(files, directory.resolve(MARK));
        Map<String, String> lines = marked(mark);
        if (!lines.get(FORMAT).equals(Integer.toString(SEVERAL_CUBES))) {
            lines.put(FORMAT, Integer.toString(SEVERAL_CUBES));
            mark.write(lines);
        }
    }

    private Map<String, String> marked(MarkFile mark) throws IOException {
        Optional<Map<String, String>> lines = mark.read();
        if (lines.isEmpty()) {
            throw new IOException(
                    directory.resolve(MARK)
                            + " and its copy were removed while a server uses the directory: put"
                            + " one of them back");
        }
        return new LinkedHashMap<>(lines.get());
    }

    /**
     * Takes the directory of a closed cube out of the store by renaming it, durably. Its files
     * stay.
     *
     * @param number makes the new name unique
     * @return the new path
     */
    public Path retire(String name, int number) throws IOException {
        Path cubes = directory.resolve(CUBES);
        Path aside = cubes.resolve(name + RETIRED + number);
        files.rename(cubes.resolve(name), aside);
        files.forceDirectory(cubes);
        return aside;
    }

    /** Returns the note with this name, or empty when there is none. */
    public Optional<Map<String, String>> remembered(String name) throws IOException {
        return remembered(files, directory, name);
    }

    /** Reads a note of a directory that a server may use at this moment. */
    public static Optional<Map<String, String>> remembered(
            FileSystem files, Path directory, String name) throws IOException {
        return note(files, directory, name).read();
    }

    /** Returns whether a directory has something for good, by {@link #keepForGood}. */
    public static boolean hasForGood(FileSystem files, Path directory, String name)
            throws IOException {
        return new MarkFile(files, directory.resolve(MARK))
                .read()
                .filter(lines -> forGood(lines).contains(name))
                .isPresent();
    }

    private static List<String> forGood(Map<String, String> mark) {
        return List.of(mark.getOrDefault(HAS, "").split(" "));
    }

    /**
     * Writes a note durably, in place of an earlier one with this name.
     *
     * @param lines values by name, at most {@value #REMEMBERED_BYTES_MAX} bytes in all; values
     *     without line breaks
     */
    public void remember(String name, Map<String, String> lines) throws IOException {
        note(files, directory, name).write(lines);
    }

    /**
     * Records in the mark of the directory that it has a file, durably. If the file is missing
     * later, it was lost: the store is not a new one.
     *
     * @param name what it is; without spaces
     */
    public synchronized void keepForGood(String name) throws IOException {
        MarkFile mark = new MarkFile(files, directory.resolve(MARK));
        Map<String, String> marked = marked(mark);
        if (!forGood(marked).contains(name)) {
            marked.merge(HAS, name, (before, added) -> before + " " + added);
            mark.write(marked);
        }
    }

    private static MarkFile note(FileSystem files, Path directory, String name) {
        return new MarkFile(files, directory.resolve(name + ".mark"));
    }

    /** Returns the path of the directory. */
    public Path directory() {
        return directory;
    }

    /** Releases the lock. Close the cubes first. */
    @Override
    public void close() throws IOException {
        lock.close();
    }
}
