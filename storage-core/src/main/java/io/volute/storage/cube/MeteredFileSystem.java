package io.volute.storage.cube;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.Distribution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A file system that counts the bytes written through another one and times its forces, by cause.
 */
public final class MeteredFileSystem implements FileSystem {
    private final FileSystem files;
    private final Map<WriteCause, LongAdder> written = new EnumMap<>(WriteCause.class);
    private final Map<WriteCause, Distribution> forces = new EnumMap<>(WriteCause.class);
    private final LongSupplier nanos;

    /** Creates a file system that measures no times. */
    public MeteredFileSystem(FileSystem files) {
        this(files, () -> 0);
    }

    /**
     * Creates a file system.
     *
     * @param nanos a clock that only goes forward
     */
    public MeteredFileSystem(FileSystem files, LongSupplier nanos) {
        this.files = files;
        this.nanos = nanos;
        for (WriteCause cause : WriteCause.values()) {
            written.put(cause, new LongAdder());
            forces.put(cause, Distribution.ofNanos());
        }
    }

    /**
     * Returns the bytes of completed writes since this object was made; every cause has an entry.
     */
    public Map<WriteCause, Long> bytesWritten() {
        Map<WriteCause, Long> totals = new EnumMap<>(WriteCause.class);
        written.forEach((cause, total) -> totals.put(cause, total.sum()));
        return totals;
    }

    /** Returns the nanoseconds that forces of files took, by the cause of the last write before. */
    public Map<WriteCause, Distribution.Counts> forces() {
        Map<WriteCause, Distribution.Counts> counts = new EnumMap<>(WriteCause.class);
        forces.forEach((cause, times) -> counts.put(cause, times.counts()));
        return counts;
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
    public StoredFile createPrivate(Path file) throws IOException {
        return new MeteredFile(files.createPrivate(file));
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
    public void renameNew(Path source, Path target) throws IOException {
        files.renameNew(source, target);
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

        /** Cause of the last write. A file that was only opened is forced again after a crash. */
        private volatile WriteCause last = WriteCause.CHECKPOINT;

        MeteredFile(StoredFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
            int bytes = source.remaining();
            file.write(source, offset, cause);
            count(cause, bytes);
            last = cause;
        }

        @Override
        public void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
                throws IOException {
            int bytes = source.remaining();
            file.writePadded(source, offset, cause, padding);
            count(cause, bytes - padding);
            last = cause;
            count(WriteCause.PADDING, padding);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            return file.read(target, offset);
        }

        @Override
        public void force() throws IOException {
            long begun = nanos.getAsLong();
            file.force();
            Distribution times = forces.get(last);
            if (times != null) {
                times.record(nanos.getAsLong() - begun);
            }
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
