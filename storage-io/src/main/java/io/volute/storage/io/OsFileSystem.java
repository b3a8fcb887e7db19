package io.volute.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The file system of the operating system. Safe for use by several threads. */
public final class OsFileSystem implements FileSystem {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** File stores by directory: a directory does not change its file system while it is open. */
    private final Map<Path, FileStore> stores = new ConcurrentHashMap<>();

    @Override
    public void createDirectories(Path directory) throws IOException {
        if (hasOwners(directory)) {
            Files.createDirectories(directory, OWNER_ONLY_DIRECTORY);
        } else {
            Files.createDirectories(directory);
        }
    }

    @Override
    public StoredFile create(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        return new OsStoredFile(file, Access.READ_WRITE, channel);
    }

    @Override
    public StoredFile createPrivate(Path file) throws IOException {
        Set<StandardOpenOption> options =
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        FileChannel channel =
                hasOwners(file)
                        ? FileChannel.open(file, options, OWNER_ONLY)
                        : FileChannel.open(file, options);
        return new OsStoredFile(file, Access.READ_WRITE, channel);
    }

    private static boolean hasOwners(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    @Override
    public StoredFile open(Path file, Access access) throws IOException {
        return new OsStoredFile(file, access, OsStoredFile.openChannel(file, access));
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Two processes may do so at once: a rename would replace the file of the other one. */
    @Override
    public void renameNew(Path source, Path target) throws IOException {
        Files.createLink(target, source);
        Files.delete(source);
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        // The JDK reads all mounts to find the store, which takes longer than most requests.
        FileStore store = stores.get(directory);
        if (store == null) {
            store = Files.getFileStore(directory);
            stores.put(directory, store);
        }
        return store.getUsableSpace();
    }

    @Override
    public DirectoryLock lock(Path lockFile) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        lockFile,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        boolean held = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(lockFile, "process " + holder(channel));
            }
            held = true;
            String pid = ProcessHandle.current().pid() + "\n";
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
            return channel::close;
        } catch (OverlappingFileLockException e) {
            throw inUse(lockFile, "this process itself");
        } finally {
            if (!held) {
                channel.close();
            }
        }
    }

    private static IOException inUse(Path lockFile, String holder) {
        return new IOException(
                lockFile
                        + " is locked by "
                        + holder
                        + ": another server uses this directory. Stop it, or choose another data"
                        + " directory.");
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(20);
        channel.read(content, 0);
        String pid = new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII);
        String digits = pid.strip();
        return digits.matches("[0-9]+") ? digits : "unknown";
    }
}
