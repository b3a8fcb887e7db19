package io.volute.server.auditlog;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Takes a log out of a simulated file system, as auditors get it. */
final class CopiedLog {
    private CopiedLog() {}

    /** Copies all files, in place of the target's former content. */
    static Path of(FileSystem source, Path directory, Path target) throws IOException {
        try (Stream<Path> old = Files.list(target)) {
            for (Path each : old.toList()) {
                Files.delete(each);
            }
        }
        for (String name : source.list(directory)) {
            try (StoredFile file = source.open(directory.resolve(name), Access.READ)) {
                ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
                file.read(bytes, 0);
                Files.write(target.resolve(name), bytes.array());
            }
        }
        return target;
    }
}
