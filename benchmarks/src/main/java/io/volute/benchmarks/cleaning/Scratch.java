package io.volute.benchmarks.cleaning;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for one cube, removed at the end. */
public record Scratch(Path directory) implements AutoCloseable {
    public static Scratch in(Path parent) throws IOException {
        Files.createDirectories(parent);
        return new Scratch(Files.createTempDirectory(parent, "cleaning"));
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }
}
