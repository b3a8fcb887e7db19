package io.volute.storage.io;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;

/**
 * The only layer between the storage core and the disk. Everything the log writes goes through it,
 * so that tests can put a fault-injecting file system under the real code.
 *
 * <p>Durability is two verbs: {@link StoredFile#force} makes the bytes of a file durable, {@link
 * #forceDirectory} makes directory entries (creation, rename, deletion) durable. Nothing else does.
 * All methods are safe for use by several threads.
 */
public interface FileSystem {

    /**
     * Creates a directory and its parents, for their owner alone where directories have owners.
     * Existing ones stay as they are.
     */
    void createDirectories(Path directory) throws IOException;

    /** Creates a new file of length zero, open for reading and writing; fails if it exists. */
    StoredFile create(Path file) throws IOException;

    /** Creates a new file that only its owner may read, where files have owners. */
    default StoredFile createPrivate(Path file) throws IOException {
        return create(file);
    }

    /** Opens an existing file. */
    StoredFile open(Path file, Access access) throws IOException;

    /**
     * Returns the file names (not paths) in a directory, sorted; empty when the directory does not
     * exist.
     */
    List<String> list(Path directory) throws IOException;

    /** Returns whether a file or directory exists. */
    boolean exists(Path file) throws IOException;

    /** Renames atomically within one file system, replacing the target. */
    void rename(Path source, Path target) throws IOException;

    /**
     * Renames a file to a name that is free. A crash may leave both names.
     *
     * @throws FileAlreadyExistsException if the target exists; nothing changes then
     */
    default void renameNew(Path source, Path target) throws IOException {
        if (exists(target)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        rename(source, target);
    }

    /** Deletes a file, which must exist. */
    void delete(Path file) throws IOException;

    /** Makes creations, renames and deletions in this directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /** Returns the bytes that can still be written to the file system that holds this directory. */
    long usableBytes(Path directory) throws IOException;

    /** Takes the exclusive advisory lock of a directory; closing it releases the lock. */
    DirectoryLock lock(Path lockFile) throws IOException;

    /** The mode in which a file is opened. */
    enum Access {
        READ,
        READ_WRITE
    }

    /** A lock that is held until it is closed. */
    interface DirectoryLock extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
