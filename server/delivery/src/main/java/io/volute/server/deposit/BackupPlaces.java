package io.volute.server.deposit;

import io.volute.server.outbound.S3Access;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Opens targets of backups by their text: {@code https://HOST/BUCKET/PREFIX}, or a directory.
 *
 * @param access to buckets; empty when there are no credentials
 */
public record BackupPlaces(FileSystem files, InstantSource clock, Optional<S3Access> access) {

    /** Returns whether a text names a server, and not a directory. */
    public static boolean isServer(String text) {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    /**
     * Opens a target.
     *
     * @throws IOException when the text names none, or there are no credentials for it
     */
    public BackupTarget open(String text) throws IOException {
        if (isServer(text)) {
            return S3Target.open(
                    text,
                    access.orElseThrow(
                            () ->
                                    new IOException(
                                            "no credentials for "
                                                    + text
                                                    + ": set backup.credentials of the server")),
                    clock);
        }
        try {
            return new DirectoryTarget(files, Path.of(text).toAbsolutePath().normalize());
        } catch (InvalidPathException e) {
            throw new IOException("not the path of a directory: " + text, e);
        }
    }
}
