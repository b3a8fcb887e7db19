package io.volute.storage.io;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;

/**
 * Writes files beside the log, of which a crash leaves the whole one or the one before: written
 * aside as {@code NAME.new}, forced, renamed, directory forced.
 */
public final class DurableFile {
    private DurableFile() {}

    /** Writes a file's bytes. */
    @FunctionalInterface
    public interface Content {
        void writeTo(OutputStream target) throws IOException;
    }

    /** Looks at the whole file before it gets its name. */
    @FunctionalInterface
    public interface Check {
        /**
         * @throws IOException when the file is not to be kept
         */
        void of(Path file) throws IOException;
    }

    /** As the other one, of what is right as it comes. */
    public static void write(
            FileSystem files, Path file, Content content, FileAttribute<?>... attributes)
            throws IOException {
        write(files, file, content, any -> {}, attributes);
    }

    /**
     * Replaces a file, or makes it.
     *
     * @param attributes that it has from the first byte on
     * @throws IOException when it is not durable; what was there before may still be
     */
    public static void write(
            FileSystem files,
            Path file,
            Content content,
            Check check,
            FileAttribute<?>... attributes)
            throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        // Of a write that a crash ended; what is no file is not ours.
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
