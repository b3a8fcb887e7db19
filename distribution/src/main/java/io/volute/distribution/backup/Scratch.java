package io.volute.distribution.backup;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A private directory for the temporary files of one run. Its end deletes it; what a killed run has
 * left, the next run in the same place deletes. Used by one thread.
 */
final class Scratch implements AutoCloseable {
    private static final String PREFIX = "volute-verify-";
    private static final String LOCK = "LOCK";

    private final Path directory;
    private final DirectoryLock lock;

    private Scratch(Path directory, DirectoryLock lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** Returns where temporary files go: the named place, else {@code TMPDIR}, else a usual one. */
    static Path place(Optional<Path> named, Map<String, String> environment) {
        return named.or(
                        () ->
                                Optional.ofNullable(environment.get("TMPDIR"))
                                        .filter(text -> !text.isEmpty())
                                        .map(Path::of))
                .orElseGet(
                        () -> {
                            // Often on a disk, where /tmp is in memory.
                            Path usual = Path.of("/var/tmp");
                            return Files.isDirectory(usual)
                                    ? usual
                                    : Path.of(System.getProperty("java.io.tmpdir"));
                        })
                .toAbsolutePath()
                .normalize();
    }

    /** Makes a directory, and deletes those of runs that were killed. */
    static Scratch make(FileSystem files, Path place) throws IOException {
        for (Path each : found(place)) {
            try (DirectoryLock ended = files.lock(each.resolve(LOCK))) {
                delete(each);
            } catch (IOException e) {
                // Another run has it, or it is another user's.
            }
        }
        Path made = Files.createTempDirectory(place, PREFIX);
        return new Scratch(made, files.lock(made.resolve(LOCK)));
    }

    private static List<Path> found(Path place) throws IOException {
        try (Stream<Path> all = Files.list(place)) {
            return all.filter(each -> each.getFileName().toString().startsWith(PREFIX))
                    .filter(each -> !Files.isSymbolicLink(each))
                    .filter(each -> Files.isRegularFile(each.resolve(LOCK)))
                    .toList();
        }
    }

    /** Returns the path of a directory in it, which is not there yet. */
    Path data() {
        return directory.resolve("data");
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            delete(directory);
        }
    }

    /** Deletes a directory; its lock goes last, so that a kill leaves something to find. */
    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            Path last = directory.resolve(LOCK);
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!each.equals(last) && !each.equals(directory)) {
                    Files.delete(each);
                }
            }
            Files.delete(last);
            Files.delete(directory);
        }
    }
}
