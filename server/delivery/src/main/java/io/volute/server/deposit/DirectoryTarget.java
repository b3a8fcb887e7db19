package io.volute.server.deposit;

import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.DurableFile.Readers;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A directory with one file for each object. Files are forced, and readable for their owner. */
public final class DirectoryTarget implements BackupTarget {
    private final FileSystem files;
    private final Path directory;

    /**
     * @param directory absolute; made by the first put
     */
    public DirectoryTarget(FileSystem files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    @Override
    public String text() {
        return directory.toString();
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
        Path file = directory.resolve(name);
        DurableDirectories.create(files, file.getParent());
        DurableFile.write(files, file, Readers.OWNER, out -> out.write(content), any -> {});
    }

    @Override
    public Optional<byte[]> get(String name, int mostBytes) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(mostBytes);
            if (in.read() >= 0) {
                throw new IOException(file + " is longer than " + mostBytes + " bytes");
            }
            return Optional.of(content);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<String> list(String prefix) throws IOException {
        Path parent = directory.resolve(prefix);
        if (!Files.isDirectory(parent)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(parent)) {
            return found.filter(Files::isRegularFile)
                    .map(file -> prefix + file.getFileName())
                    // Left by a put that a crash ended.
                    .filter(name -> !name.endsWith(".new"))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Path file = directory.resolve(name);
        if (Files.deleteIfExists(file)) {
            files.forceDirectory(file.getParent());
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
