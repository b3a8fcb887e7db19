package io.volute.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory of its own, removed at the end. */
public record Scratch(Path directory) implements AutoCloseable {
    /** On the disk that {@code -Dbenchmark.directory} names. */
    public static Scratch here() throws IOException {
        return in(Path.of(System.getProperty("benchmark.directory", "target")));
    }

    public static Scratch in(Path parent) throws IOException {
        Files.createDirectories(parent);
        return new Scratch(Files.createTempDirectory(parent, "scratch"));
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
