package io.volute.storage.cube;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Files in memory, every write durable at once: fast, for tests of what lies above the file layer.
 * A copy is what a crash at this moment leaves.
 */
public final class MemoryFileSystem implements FileSystem {
    private static final int PAGE_BYTES = 4096;

    volatile long usableBytes = 1L << 40;

    private final Map<Path, Content> files = new HashMap<>();

    /** True when punching works; otherwise it is refused as file systems do. */
    boolean canPunch = true;

    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> locks = new HashSet<>();

    private static final class Content {
        private byte[] bytes = {};
        private int length;
        private BitSet holes = new BitSet();

        synchronized void write(ByteBuffer source, int offset) {
            int end = offset + source.remaining();
            holes.clear(offset / PAGE_BYTES, (end + PAGE_BYTES - 1) / PAGE_BYTES);
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
            }
            length = Math.max(length, end);
            source.get(bytes, offset, end - offset);
        }

        synchronized int read(ByteBuffer target, int offset) {
            int count = Math.max(0, Math.min(target.remaining(), length - offset));
            target.put(bytes, offset, count);
            return count;
        }

        synchronized void zero(int offset, int count) {
            int end = Math.min(length, offset + count);
            if (offset < end) {
                Arrays.fill(bytes, offset, end, (byte) 0);
                holes.set((offset + PAGE_BYTES - 1) / PAGE_BYTES, end / PAGE_BYTES);
            }
        }

        synchronized long allocated(int offset, int count) {
            int end = Math.min(length, offset + count);
            long holeBytes =
                    (long) PAGE_BYTES
                            * holes.get(offset / PAGE_BYTES, end / PAGE_BYTES).cardinality();
            return Math.max(0, end - offset - holeBytes);
        }

        synchronized int length() {
            return length;
        }

        synchronized Content copy() {
            Content copy = new Content();
            copy.bytes = Arrays.copyOf(bytes, length);
            copy.length = length;
            copy.holes = (BitSet) holes.clone();
            return copy;
        }
    }

    synchronized MemoryFileSystem copy() {
        MemoryFileSystem copy = new MemoryFileSystem();
        copy.canPunch = canPunch;
        files.forEach((path, content) -> copy.files.put(path, content.copy()));
        copy.directories.addAll(directories);
        return copy;
    }

    /** Flips one bit: silent damage. */
    synchronized void flip(Path file, int offset) {
        Content content = files.get(file);
        content.bytes[offset] ^= 1;
    }

    synchronized List<Path> paths() {
        return files.keySet().stream().sorted().toList();
    }

    @Override
    public synchronized void createDirectories(Path directory) {
        for (Path each = directory; each != null; each = each.getParent()) {
            directories.add(each);
        }
    }

    @Override
    public synchronized StoredFile create(Path file) throws IOException {
        if (files.containsKey(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        if (!directories.contains(file.getParent())) {
            throw new NoSuchFileException(file.getParent().toString());
        }
        files.put(file, new Content());
        return new Open(files.get(file));
    }

    @Override
    public synchronized StoredFile open(Path file, Access access) throws IOException {
        Content content = files.get(file);
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return new Open(content);
    }

    @Override
    public synchronized List<String> list(Path directory) {
        Set<Path> all = new HashSet<>(files.keySet());
        all.addAll(directories);
        return all.stream()
                .filter(path -> directory.equals(path.getParent()))
                .map(path -> path.getFileName().toString())
                .sorted()
                .toList();
    }

    @Override
    public synchronized boolean exists(Path file) {
        return files.containsKey(file) || directories.contains(file);
    }

    @Override
    public synchronized void rename(Path source, Path target) throws IOException {
        Content content = files.remove(source);
        if (content == null) {
            throw new NoSuchFileException(source.toString());
        }
        files.put(target, content);
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        if (files.remove(file) == null) {
            throw new NoSuchFileException(file.toString());
        }
    }

    @Override
    public void forceDirectory(Path directory) {}

    @Override
    public long usableBytes(Path directory) {
        return usableBytes;
    }

    @Override
    public synchronized DirectoryLock lock(Path lockFile) throws IOException {
        if (!locks.add(lockFile)) {
            throw new IOException("held already");
        }
        return () -> {
            synchronized (this) {
                locks.remove(lockFile);
            }
        };
    }

    private final class Open implements StoredFile {
        private final Content content;

        Open(Content content) {
            this.content = content;
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) {
            content.write(source, Math.toIntExact(offset));
        }

        @Override
        public int read(ByteBuffer target, long offset) {
            return content.read(target, Math.toIntExact(offset));
        }

        @Override
        public void force() {}

        @Override
        public boolean punch(long offset, long bytes) {
            if (canPunch) {
                content.zero(Math.toIntExact(offset), Math.toIntExact(bytes));
            }
            return canPunch;
        }

        @Override
        public long allocatedBytes(long offset, long bytes) {
            return content.allocated(Math.toIntExact(offset), Math.toIntExact(bytes));
        }

        @Override
        public long size() {
            return content.length();
        }

        @Override
        public void close() {}
    }
}
