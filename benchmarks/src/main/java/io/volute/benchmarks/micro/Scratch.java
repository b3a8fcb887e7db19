package io.volute.benchmarks.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories for benchmarks, on the disk that {@code -Dbenchmark.directory} names. */
final class Scratch {
    private Scratch() {}

    static Path make(String name) throws IOException {
        Path parent = Path.of(System.getProperty("benchmark.directory", "target"));
        Files.createDirectories(parent);
        return Files.createTempDirectory(parent, name);
    }

    static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }
}
