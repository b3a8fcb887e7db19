package io.volute.server.backup;

import io.volute.server.backup.Manifest.CutOfCube;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** The files of a data directory as of one moment. Used by one thread. */
interface BackupSource extends AutoCloseable {

    /**
     * A file.
     *
     * @param path relative to the data directory, with slashes
     * @param bytes bytes to copy, from its beginning on
     * @param finalBytes bytes from its beginning on that change no more
     * @param fileBytes size of the file; the rest of it is zeros
     */
    record SourceFile(
            String path,
            long bytes,
            long finalBytes,
            long fileBytes,
            Marking marking,
            Content content) {}

    /** The bytes that tell a file from another one of the same path. */
    enum Marking {
        /** The first page. */
        BEGIN,
        /** The first page, and the last of the final bytes. */
        BOTH_ENDS
    }

    /** Reads the bytes of a file. */
    interface Content {
        /** Reads until the target is full; fails if the file ends before. */
        void read(long offset, ByteBuffer target) throws IOException;

        /** Ends the hold on the file. */
        void release();
    }

    /** Returns the identity of the store. */
    String store();

    List<SourceFile> files();

    List<CutOfCube> cubes();

    /** Returns the newest checkpoint among the files, in Base64. */
    Optional<String> checkpoint();

    /** Returns the paths of private files that are not among the files. */
    List<String> leftOut();

    /**
     * Checks that the source may still hold its files.
     *
     * @throws IOException when clients need their space
     */
    void requireRoom() throws IOException;

    @Override
    void close();
}
