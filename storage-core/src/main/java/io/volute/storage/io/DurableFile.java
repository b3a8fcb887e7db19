package io.volute.storage.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

    /**
     * Replaces a file, or makes it.
     *
     * @param attributes that it has from the first byte on
     * @throws IOException when it is not durable; what was there before may still be
     */
    public static void write(
            FileSystem files, Path file, Content content, FileAttribute<?>... attributes)
            throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        // Of a write that did not end; what is no file is not ours.
        if (Files.isRegularFile(aside, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(aside);
        }
        Path made = Files.createFile(aside, attributes);
        try (OutputStream out =
                Files.newOutputStream(made, StandardOpenOption.WRITE, StandardOpenOption.DSYNC)) {
            content.writeTo(out);
        }
        files.rename(aside, file);
        files.forceDirectory(file.getParent());
    }
}
