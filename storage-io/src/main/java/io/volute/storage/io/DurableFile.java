package io.volute.storage.io;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * Writes small files beside the log, of which a crash leaves the whole one or the one before:
 *
 * <ol>
 *   <li>The bytes go to a file aside, {@code NAME.new}, which is forced. A crash leaves that file
 *       with any content, and the name as it was.
 *   <li>The file aside is renamed. A crash leaves the old file or the whole new one.
 *   <li>The directory is forced. From then on the new file survives a crash.
 * </ol>
 *
 * The directory must be durable itself: see {@link DurableDirectories}.
 */
public final class DurableFile {
    private DurableFile() {}

    /** The users that may read a new file, from its first byte on. */
    public enum Readers {
        /** The users that the umask allows. */
        USUAL,
        /** The owner alone, where files have owners: mode 0600. */
        OWNER
    }

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

    /** Replaces or creates a file that the usual users may read, without a check. */
    public static void write(FileSystem files, Path file, Content content) throws IOException {
        write(files, file, Readers.USUAL, content, any -> {});
    }

    /**
     * Replaces or creates a file. A file aside that an earlier crash left is replaced.
     *
     * @throws IOException when the file is not durable; the old file may still be there
     */
    public static void write(
            FileSystem files, Path file, Readers readers, Content content, Check check)
            throws IOException {
        Path aside = sibling(file, ".new");
        if (files.exists(aside)) {
            // Left by a write that a crash ended. A directory is not ours, and cannot be opened.
            files.open(aside, FileSystem.Access.READ_WRITE).close();
            files.delete(aside);
        }
        place(files, aside, readers, content, check, () -> files.rename(aside, file));
        files.forceDirectory(file.toAbsolutePath().getParent());
    }

    /**
     * Creates a file. Safe beside other processes that create the same file: exactly one succeeds.
     * The name aside is {@code NAME.NUMBER.new}; a crash may leave it, with the same readers.
     *
     * @param random of which the number is taken
     * @throws FileAlreadyExistsException if there is a file of that name, which stays as it is
     * @throws IOException when the file is not durable
     */
    public static void create(
            FileSystem files, Path file, Readers readers, Content content, RandomGenerator random)
            throws IOException {
        Path aside = sibling(file, String.format(Locale.ROOT, ".%x.new", random.nextLong()));
        place(files, aside, readers, content, any -> {}, () -> files.renameNew(aside, file));
        files.forceDirectory(file.toAbsolutePath().getParent());
    }

    private interface Naming {
        void run() throws IOException;
    }

    private static void place(
            FileSystem files,
            Path aside,
            Readers readers,
            Content content,
            Check check,
            Naming naming)
            throws IOException {
        StoredFile made =
                readers == Readers.OWNER ? files.createPrivate(aside) : files.create(aside);
        try {
            try (made) {
                try (OutputStream out = new BufferedOutputStream(new Target(made))) {
                    content.writeTo(out);
                }
                check.of(aside);
                made.force();
            }
            naming.run();
        } catch (IOException | RuntimeException | Error e) {
            remove(files, aside, e);
            throw e;
        }
    }

    private static void remove(FileSystem files, Path aside, Throwable reason) {
        try {
            if (files.exists(aside)) {
                files.delete(aside);
            }
        } catch (IOException | RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private static Path sibling(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    /** Appends to a new file. Not thread-safe. */
    private static final class Target extends OutputStream {
        private final StoredFile file;
        private long position;

        Target(StoredFile file) {
            this.file = file;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            file.write(ByteBuffer.wrap(bytes, offset, length), position, WriteCause.CHECKPOINT);
            position += length;
        }
    }
}
