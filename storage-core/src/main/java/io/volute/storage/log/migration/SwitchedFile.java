package io.volute.storage.log.migration;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A file of a segment that goes on in the other store after the switch. Writes wait for a switch
 * that is under way; reads do not. Thread-safe.
 */
final class SwitchedFile implements StoredFile {
    private final SwitchedSegmentStore store;
    private final SegmentFileName name;
    private final boolean isWriter;

    /** End of the part that may have been written. */
    private final AtomicLong end;

    /** Its write side: the file is replaced or closed. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    private StoredFile file;
    private boolean isClosed;

    /**
     * Creates a file.
     *
     * @param end bytes that may have been written before
     */
    SwitchedFile(
            SwitchedSegmentStore store,
            SegmentFileName name,
            boolean isWriter,
            StoredFile file,
            long end) {
        this.store = store;
        this.name = name;
        this.isWriter = isWriter;
        this.file = file;
        this.end = new AtomicLong(end);
    }

    SegmentFileName name() {
        return name;
    }

    boolean isWriter() {
        return isWriter;
    }

    /** Returns the end of the part that may have been written. */
    long end() {
        return end.get();
    }

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
        long behind = offset + source.remaining();
        store.whileNotSwitching(
                () -> {
                    end.accumulateAndGet(behind, Math::max);
                    file.write(source, offset, cause);
                });
    }

    @Override
    public void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
            throws IOException {
        long behind = offset + source.remaining();
        store.whileNotSwitching(
                () -> {
                    end.accumulateAndGet(behind, Math::max);
                    file.writePadded(source, offset, cause, padding);
                });
    }

    @Override
    public void force() throws IOException {
        store.whileNotSwitching(() -> file.force());
    }

    @Override
    public boolean punch(long offset, long bytes) throws IOException {
        boolean[] punched = {false};
        store.whileNotSwitching(() -> punched[0] = file.punch(offset, bytes));
        return punched[0];
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        lock.readLock().lock();
        try {
            return file.read(target, offset);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public long allocatedBytes(long offset, long bytes) throws IOException {
        lock.readLock().lock();
        try {
            return file.allocatedBytes(offset, bytes);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public long size() throws IOException {
        lock.readLock().lock();
        try {
            return file.size();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Goes on in another file with the same bytes, and closes the one before. */
    void switchTo(StoredFile other) throws IOException {
        lock.writeLock().lock();
        try {
            StoredFile last = isClosed ? other : file;
            if (!isClosed) {
                file = other;
            }
            last.close();
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public void close() throws IOException {
        store.closing(this);
        lock.writeLock().lock();
        try {
            isClosed = true;
            file.close();
        } finally {
            lock.writeLock().unlock();
        }
    }
}
