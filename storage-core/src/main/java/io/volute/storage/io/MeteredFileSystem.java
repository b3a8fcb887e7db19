package io.volute.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes written through another file system, by cause. */
public final class MeteredFileSystem implements FileSystem {
    private final FileSystem files;
    private final Map<WriteCause, LongAdder> written = new EnumMap<>(WriteCause.class);

    public MeteredFileSystem(FileSystem files) {
        this.files = files;
        for (WriteCause cause : WriteCause.values()) {
            written.put(cause, new LongAdder());
        }
    }

    /** Bytes of completed writes since this object was made; every cause has an entry. */
    public Map<WriteCause, Long> bytesWritten() {
        Map<WriteCause, Long> totals = new EnumMap<>(WriteCause.class);
        written.forEach((cause, total) -> totals.put(cause, total.sum()));
        return totals;
    }

    private void count(WriteCause cause, long bytes) {
        LongAdder total = written.get(cause);
        if (total != null) {
            total.add(bytes);
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public StoredFile create(Path file) throws IOException {
        return new MeteredFile(files.create(file));
    }

    @Override
    public StoredFile open(Path file, Access access) throws IOException {
        return new MeteredFile(files.open(file, access));
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return files.exists(file);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        files.rename(source, target);
    }

    @Override
    public void delete(Path file) throws IOException {
        files.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        files.forceDirectory(directory);
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return files.usableBytes(directory);
    }

    @Override
    public DirectoryLock lock(Path lockFile) throws IOException {
        return files.lock(lockFile);
    }

    private final class MeteredFile implements StoredFile {
        private final StoredFile file;

        MeteredFile(StoredFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
            int bytes = source.remaining();
            file.write(source, offset, cause);
            count(cause, bytes);
        }

        @Override
        public void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
                throws IOException {
            int bytes = source.remaining();
            file.writePadded(source, offset, cause, padding);
            count(cause, bytes - padding);
            count(WriteCause.PADDING, padding);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            return file.read(target, offset);
        }

        @Override
        public void force() throws IOException {
            file.force();
        }

        @Override
        public boolean punch(long offset, long bytes) throws IOException {
            return file.punch(offset, bytes);
        }

        @Override
        public long allocatedBytes(long offset, long bytes) throws IOException {
            return file.allocatedBytes(offset, bytes);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
