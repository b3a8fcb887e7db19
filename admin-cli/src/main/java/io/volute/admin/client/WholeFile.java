package io.volute.admin.client;

import io.volute.storage.io.DurableFile;
import io.volute.storage.io.DurableFile.Readers;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;

/** Writes a file that has its name only when it is whole, and is on the disk then. */
public final class WholeFile {
    static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private static final FileSystem FILES = new OsFileSystem();

    private WholeFile() {}

    /**
     * Writes a new file.
     *
     * @throws FileAlreadyExistsException if there is one, which stays as it is
     */
    public static void create(Path file, Readers readers, DurableFile.Content content)
            throws IOException {
        DurableFile.create(FILES, file, readers, content, new SecureRandom());
    }

    public static void write(Path file, Readers readers, DurableFile.Content content)
            throws IOException {
        write(file, readers, content, any -> {});
    }

    public static void write(
            Path file, Readers readers, DurableFile.Content content, DurableFile.Check check)
            throws IOException {
        DurableFile.write(FILES, file, readers, content, check);
    }
}
