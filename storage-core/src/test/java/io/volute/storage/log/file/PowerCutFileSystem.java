package io.volute.storage.log.file;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Files in memory. It records events, calls a hook before each, and keeps forced content apart, so
 * that a power cut can take away the rest.
 */
public final class PowerCutFileSystem implements FileSystem {
    private final TreeMap<Path, Content> files = new TreeMap<>();
    private final TreeMap<Path, Content> durableNames = new TreeMap<>();
    private final List<Consumer<TreeMap<Path, Content>>> nameChanges = new ArrayList<>();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private volatile Hook hook = event -> {};
    private volatile long usable = Long.MAX_VALUE;

    /** Called before an event; throws to make it fail. */
    interface Hook {
        void before(String event) throws IOException;
    }

    private static final class Content {
        private byte[] bytes = new byte[0];
        private byte[] durable = new byte[0];

        synchronized void write(ByteBuffer source, long offset) {
            int end = (int) offset + source.remaining();
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, end);
            }
            source.get(bytes, (int) offset, source.remaining());
        }

        synchronized int read(ByteBuffer target, long offset) {
            int count = (int) Math.max(0, Math.min(target.remaining(), bytes.length - offset));
            target.put(bytes, (int) Math.min(offset, bytes.length), count);
            return count;
        }

        synchronized byte[] mixed(SplittableRandom random) {
            byte[] mixed =
                    Arrays.copyOf(durable, random.nextBoolean() ? bytes.length : durable.length);
            for (int at = 0; at < mixed.length; at += 4096) {
                if (random.nextBoolean()) {
                    int end = Math.min(at + 4096, mixed.length);
                    System.arraycopy(bytes, at, mixed, at, end - at);
                }
            }
            return mixed;
        }

        synchronized void force() {
            durable = bytes.clone();
        }
    }

    void hook(Hook next) {
        hook = next;
    }

    void usable(long bytes) {
        usable = bytes;
    }

    List<String> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    void clearEvents() {
        events.clear();
    }

    /** A copy in which everything is as it stands, or, after a power cut, as it was forced. */
    synchronized PowerCutFileSystem copy() {
        PowerCutFileSystem copy = new PowerCutFileSystem();
        files.forEach((path, content) -> copy.put(path, content.bytes.clone()));
        return copy;
    }

    synchronized PowerCutFileSystem afterPowerCut() {
        PowerCutFileSystem copy = new PowerCutFileSystem();
        durableNames.forEach((path, content) -> copy.put(path, content.durable.clone()));
        return copy;
    }

    /**
     * Returns a copy after another kind of power cut. Of the name changes since the directory was
     * forced it keeps the first few, and of the bytes written since a file was forced it keeps some
     * pages.
     */
    synchronized PowerCutFileSystem afterPowerCut(SplittableRandom random) {
        TreeMap<Path, Content> names = new TreeMap<>(durableNames);
        int kept = random.nextInt(nameChanges.size() + 1);
        nameChanges.subList(0, kept).forEach(change -> change.accept(names));
        PowerCutFileSystem copy = new PowerCutFileSystem();
        names.forEach((path, content) -> copy.put(path, content.mixed(random)));
        return copy;
    }

    private void changeName(Consumer<TreeMap<Path, Content>> change) {
        change.accept(files);
        nameChanges.add(change);
    }

    private void put(Path path, byte[] bytes) {
        Content content = new Content();
        content.bytes = bytes;
        content.force();
        files.put(path, content);
        durableNames.put(path, content);
    }

    /** The content of a file itself, to be damaged by a test. */
    synchronized byte[] bytes(Path path) {
        return files.get(path).bytes;
    }

    synchronized void setBytes(Path path, byte[] bytes) {
        put(path, bytes);
    }

    private void event(String event) throws IOException {
        hook.before(event);
        events.add(event);
    }

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public StoredFile create(Path file) throws IOException {
        event("create " + file.getFileName());
        synchronized (this) {
            if (files.containsKey(file)) {
                throw new FileAlreadyExistsException(file.toString());
            }
            Content content = new Content();
            changeName(names -> names.put(file, content));
        }
        return open(file, Access.READ_WRITE);
    }

    @Override
    public synchronized StoredFile open(Path file, Access access) throws IOException {
        Content content = files.get(file);
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return new MemoryFile(String.valueOf(file.getFileName()), content, access);
    }

    @Override
    public synchronized List<String> list(Path directory) {
        List<String> names = new ArrayList<>();
        files.keySet().forEach(path -> names.add(String.valueOf(path.getFileName())));
        return names;
    }

    @Override
    public boolean exists(Path file) {
        return true;
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        event("rename " + source.getFileName() + " " + target.getFileName());
        synchronized (this) {
            Content content = files.get(source);
            if (content == null) {
                throw new NoSuchFileException(source.toString());
            }
            changeName(
                    names -> {
                        names.remove(source);
                        names.put(target, content);
                    });
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        event("delete " + file.getFileName());
        synchronized (this) {
            if (!files.containsKey(file)) {
                throw new NoSuchFileException(file.toString());
            }
            changeName(names -> names.remove(file));
        }
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        event("forceDirectory");
        synchronized (this) {
            durableNames.clear();
            durableNames.putAll(files);
            nameChanges.clear();
        }
    }

    @Override
    public long usableBytes(Path directory) {
        return usable;
    }

    @Override
    public DirectoryLock lock(Path lockFile) {
        return () -> {};
    }

    private final class MemoryFile implements StoredFile {
        private final String name;
        private final Content content;
        private final Access access;
        private volatile boolean closed;

        MemoryFile(String name, Content content, Access access) {
            this.name = name;
            this.content = content;
            this.access = access;
        }

        private void requireOpen() throws IOException {
            if (closed) {
                throw new IOException(name + " is closed");
            }
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
            requireOpen();
            if (access == Access.READ) {
                throw new IOException(name + " is open for reading");
            }
            event("write " + name + " " + offset + " " + source.remaining() + " " + cause);
            content.write(source, offset);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            requireOpen();
            return content.read(target, offset);
        }

        @Override
        public void force() throws IOException {
            requireOpen();
            event("force " + name);
            content.force();
        }

        @Override
        public boolean punch(long offset, long bytes) {
            return false;
        }

        @Override
        public long size() throws IOException {
            requireOpen();
            synchronized (content) {
                return content.bytes.length;
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
