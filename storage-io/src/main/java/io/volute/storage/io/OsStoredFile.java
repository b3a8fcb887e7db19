package io.volute.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file over a {@link FileChannel}. The JDK closes a channel when a thread that uses it is
 * interrupted; other threads use it too, so this class opens it again and leaves the interrupt flag
 * set. The kernel reports a write-back error that nobody has seen to the next opener, so no error
 * is lost on the way.
 */
final class OsStoredFile implements StoredFile {
    private final Path path;
    private final FileSystem.Access access;
    private final ReentrantLock reopening = new ReentrantLock();
    private final ReentrantLock forcing = new ReentrantLock();
    private final ReentrantLock besideChannel = new ReentrantLock();
    private Optional<NativeFile> beside = Optional.empty();
    private volatile FileChannel channel;
    private volatile boolean closed;
    private volatile boolean poisoned;

    OsStoredFile(Path path, FileSystem.Access access, FileChannel channel) {
        this.path = path;
        this.access = access;
        this.channel = channel;
    }

    static FileChannel openChannel(Path path, FileSystem.Access access) throws IOException {
        return switch (access) {
            case READ -> FileChannel.open(path, StandardOpenOption.READ);
            case READ_WRITE ->
                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        };
    }

    /** An operation on the channel, which may be tried twice. */
    private interface Attempt {
        long run(FileChannel channel) throws IOException;
    }

    private long uninterrupted(Attempt attempt) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                FileChannel current = channel;
                try {
                    return attempt.run(current);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    reopen(current);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void reopen(FileChannel broken) throws IOException {
        reopening.lock();
        try {
            if (closed) {
                throw new IOException(path + " is closed");
            }
            if (channel == broken) {
                channel = openChannel(path, access);
            }
        } finally {
            reopening.unlock();
        }
    }

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
        requireSound();
        int begin = source.position();
        int bytes = source.remaining();
        try {
            while (source.hasRemaining()) {
                uninterrupted(
                        current -> current.write(source, offset + (source.position() - begin)));
            }
        } catch (IOException e) {
            String what =
                    "writing "
                            + bytes
                            + " bytes at offset "
                            + offset
                            + " of "
                            + path
                            + " failed: "
                            + e.getMessage();
            throw NoSpaceException.isNoSpace(e)
                    ? new NoSpaceException(what, e)
                    : new IOException(what, e);
        }
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        int begin = target.position();
        while (target.hasRemaining()) {
            long count =
                    uninterrupted(
                            current -> current.read(target, offset + (target.position() - begin)));
            if (count < 0) {
                break;
            }
        }
        return target.position() - begin;
    }

    /** Forces the file, one caller at a time: the kernel reports a failure to one caller only. */
    @Override
    public void force() throws IOException {
        forcing.lock();
        try {
            requireSound();
            forceChannel();
        } catch (IOException e) {
            throw new IOException("forcing " + path + " failed: " + e.getMessage(), e);
        } finally {
            forcing.unlock();
        }
    }

    private void forceChannel() throws IOException {
        boolean done = false;
        try {
            uninterrupted(
                    current -> {
                        current.force(false);
                        return 0;
                    });
            done = true;
        } finally {
            poisoned |= !done;
        }
    }

    private void requireSound() throws IOException {
        if (poisoned) {
            throw new IOException(
                    path + " takes no more writes: an earlier force failed; restart the server");
        }
    }

    /** Punches through a descriptor of its own, which an interrupt does not close. */
    @Override
    public boolean punch(long offset, long bytes) throws IOException {
        if (access == FileSystem.Access.READ) {
            throw new IOException(path + " is open for reading only");
        }
        besideChannel.lock();
        try {
            Optional<NativeFile> file = nativeFile();
            return file.isPresent() && file.get().punch(offset, bytes);
        } finally {
            besideChannel.unlock();
        }
    }

    /** Measures through a short-lived descriptor: many files are open for reading. */
    @Override
    public long allocatedBytes(long offset, long bytes) throws IOException {
        besideChannel.lock();
        try {
            Optional<NativeFile> file = nativeFile();
            return file.isPresent()
                    ? file.get().allocatedBytes(offset, bytes)
                    : StoredFile.super.allocatedBytes(offset, bytes);
        } finally {
            besideChannel.unlock();
            closeBeside();
        }
    }

    private Optional<NativeFile> nativeFile() throws IOException {
        if (closed) {
            throw new IOException(path + " is closed");
        }
        if (beside.isEmpty()) {
            beside = NativeFile.open(path, access);
        }
        return beside;
    }

    @Override
    public long size() throws IOException {
        return uninterrupted(FileChannel::size);
    }

    @Override
    public void close() throws IOException {
        reopening.lock();
        try {
            closed = true;
            channel.close();
        } finally {
            reopening.unlock();
            closeBeside();
        }
    }

    private void closeBeside() throws IOException {
        besideChannel.lock();
        try {
            if (beside.isPresent()) {
                beside.get().close();
            }
            beside = Optional.empty();
        } finally {
            besideChannel.unlock();
        }
    }
}
