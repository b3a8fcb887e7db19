package io.volute.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory that is gone with everything in it when closed. */
public record TemporaryStore(Path path) implements AutoCloseable {

    public static TemporaryStore create(String name) {
        try {
            return new TemporaryStore(Files.createTempDirectory("volute-" + name + "-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path data() {
        return path.resolve("data");
    }

    @Override
    public void close() {
        deleteTree(path);
    }

    /** Deletes it with everything in it. */
    public static void deleteTree(Path root) {
        try (Stream<Path> all = Files.walk(root)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
