package io.volute.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of this repository, for tests of rules that hold for all of them. */
final class RepositoryFiles {
    private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules");

    private RepositoryFiles() {}

    /** Returns the top of the checkout that the test runs in. */
    static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("ARCHITECTURE.md"))) {
            directory = directory.getParent();
        }
        return directory;
    }

    /** Returns the files below a directory whose names end so, without what builds make. */
    static List<Path> below(Path root, String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes is) {
                        return SKIPPED.contains(path.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path path, BasicFileAttributes is) {
                        if (path.toString().endsWith(ending)) {
                            found.add(path);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found;
    }
}
