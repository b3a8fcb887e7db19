package io.volute.storage.index;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Indexes in RocksDB, which does its own file access: the directory is a real one. */
public final class RocksIndexFactory implements IndexFactory {
    private static final String ASIDE = ".discarded";

    private final Optional<SharedIndexMemory> memory;

    /** Creates a factory of indexes that each have memory of their own. */
    public RocksIndexFactory() {
        this(Optional.empty());
    }

    /**
     * Creates a factory.
     *
     * @param memory memory that its indexes share; empty for memory of each index
     */
    public RocksIndexFactory(Optional<SharedIndexMemory> memory) {
        this.memory = memory;
    }

    @Override
    public boolean exists(Path directory) {
        return Files.exists(directory.resolve("CURRENT"));
    }

    @Override
    public KeyValueIndex open(IndexSettings settings) throws IOException {
        Files.createDirectories(settings.directory());
        deleteTree(aside(settings.directory()));
        return RocksIndex.open(settings, memory);
    }

    @Override
    public void discard(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Path aside = aside(directory);
        deleteTree(aside);
        Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
        deleteTree(aside);
    }

    private static Path aside(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ASIDE);
    }

    private static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes ignored)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                            throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        Files.delete(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
