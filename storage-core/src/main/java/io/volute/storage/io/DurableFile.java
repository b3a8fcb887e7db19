package io.volute.storage.io;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;

/**
 * Writes files beside the log. A crash leaves the whole file or the one before. The content goes to
 * {@code NAME.new}, is forced and renamed, and the directory is forced.
 */
public final class DurableFile {
    private DurableFile() {}

    /** The writer of a file's bytes. */
    @FunctionalInterface
    public interface Content {
        void writeTo(OutputStream target) throws IOException;
    }

    /** A check of the whole file before it gets its name. */
    @FunctionalInterface
    public interface Check {
        /**
         * @throws IOException when the file is not to be kept
         */
        void of(Path file) throws IOException;
    }

    /** Writes a file without a check of its content. */
    public static void write(
            FileSystem files, Path file, Content content, FileAttribute<?>... attributes)
            throws IOException {
        write(files, file, content, any -> {}, attributes);
    }

    /**
     * Replaces or creates a file.
     *
     * @param attributes attributes that the file has from its first byte on
     * @throws IOException when the file is not durable; the file before may still be there
     */
    public static void write(
            FileSystem files,
            Path file,
            Content content,
            Check check,
            FileAttribute<?>... attributes)
            throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        // Left by a write that a crash ended. Anything but a file is not ours.
        if (Files.isRegularFile(aside, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(aside);
        }
        Path made = Files.createFile(aside, attributes);
        try {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(made))) {
                content.writeTo(out);
            }
            check.of(made);
            try (StoredFile written = files.open(made, FileSystem.Access.READ_WRITE)) {
                written.force();
            }
            files.rename(made, file);
            files.forceDirectory(file.toAbsolutePath().getParent());
        } finally {
            Files.deleteIfExists(made);
        }
    }
}
