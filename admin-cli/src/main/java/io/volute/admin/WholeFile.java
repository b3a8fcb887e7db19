package io.volute.admin;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.StoredFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Writes a file that has its name only when it is whole, and is on the disk then. */
final class WholeFile {
    static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final FileSystem FILES = new OsFileSystem();

    private WholeFile() {}

    /** Who may read it. */
    enum Readers {
        /** Mode 0600, from the first byte on. */
        OWNER,
        /** As the umask says. */
        USUAL
    }

    /** What is written. */
    interface Content {
        void writeTo(OutputStream target) throws IOException;
    }

    /** Looks at the whole file before it gets its name. */
    interface Check {
        /**
         * @throws IOException when the file is not to be kept
         */
        void of(Path file) throws IOException;
    }

    static void write(Path file, Readers readers, Content content) throws IOException {
        write(file, readers, content, any -> {});
    }

    static void write(Path file, Readers readers, Content content, Check check) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Files.deleteIfExists(unfinished);
        try {
            try (OutputStream out = new BufferedOutputStream(create(unfinished, readers))) {
                content.writeTo(out);
            }
            check.of(unfinished);
            try (StoredFile written = FILES.open(unfinished, FileSystem.Access.READ_WRITE)) {
                written.force();
            }
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
            FILES.forceDirectory(file.toAbsolutePath().getParent());
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static OutputStream create(Path file, Readers readers) throws IOException {
        FileAttribute<?>[] attributes =
                switch (readers) {
                    case OWNER ->
                            new FileAttribute<?>[] {
                                PosixFilePermissions.asFileAttribute(OWNER_ONLY)
                            };
                    case USUAL -> new FileAttribute<?>[0];
                };
        return Files.newOutputStream(Files.createFile(file, attributes), StandardOpenOption.WRITE);
    }
}
