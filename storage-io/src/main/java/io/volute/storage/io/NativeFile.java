package io.volute.storage.io;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A descriptor of its own beside the JDK's, for the two calls that plain Java lacks: {@code
 * fallocate} to punch holes and {@code lseek} to find them. The C library is bound when the first
 * one is opened. Used by one thread at a time.
 */
final class NativeFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NativeFile.class);

    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    private static final int EINTR = 4;
    private static final int ENXIO = 6;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;

    /** The native calls, bound to the C library of a 64-bit Linux, whose offsets are longs. */
    private static final class Calls {
        static final boolean BOUND = bind();
        private static final AtomicBoolean REFUSAL_TOLD = new AtomicBoolean();

        private Calls() {}

        private static boolean bind() {
            try {
                if (!Platform.isLinux() || Native.LONG_SIZE != Long.BYTES) {
                    LOG.warn("no holes are punched on {}", Platform.RESOURCE_PREFIX);
                    return false;
                }
                Native.register(Calls.class, Platform.C_LIBRARY_NAME);
                return true;
            } catch (LinkageError | RuntimeException e) {
                LOG.warn(
                        "no holes are punched: the C library could not be bound ({}); dead space"
                                + " comes back by copying only",
                        e.toString());
                return false;
            }
        }

        static native int open(byte[] path, int flags) throws LastErrorException;

        static native int fallocate(int descriptor, int mode, long offset, long bytes)
                throws LastErrorException;

        static native long lseek(int descriptor, long offset, int whence) throws LastErrorException;

        static native int close(int descriptor) throws LastErrorException;
    }

    private final Path path;
    private final int descriptor;

    private NativeFile(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /** Opens a file once more; returns empty on platforms without these calls. */
    static Optional<NativeFile> open(Path path, FileSystem.Access access) throws IOException {
        if (!isBound()) {
            return Optional.empty();
        }
        int mode = access == FileSystem.Access.READ ? O_RDONLY : O_RDWR;
        byte[] name = path.toString().getBytes(nameCharset());
        try {
            int descriptor = Calls.open(Arrays.copyOf(name, name.length + 1), mode | O_CLOEXEC);
            return Optional.of(new NativeFile(path, descriptor));
        } catch (LastErrorException e) {
            throw new IOException("opening " + path + " failed: " + e.getMessage(), e);
        }
    }

    private static boolean isBound() {
        try {
            return Calls.BOUND;
        } catch (LinkageError e) {
            LOG.debug("the C library is not bound", e);
            return false;
        }
    }

    /** Returns the charset in which the JDK passes file names to the operating system. */
    private static Charset nameCharset() {
        String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        return Charset.forName(name, StandardCharsets.UTF_8);
    }

    /** Punches a hole; see {@link StoredFile#punch}. */
    boolean punch(long offset, long bytes) throws IOException {
        while (true) {
            try {
                return Calls.fallocate(descriptor, PUNCH_HOLE | KEEP_SIZE, offset, bytes) == 0;
            } catch (LastErrorException e) {
                if (e.getErrorCode() == EOPNOTSUPP || e.getErrorCode() == ENOSYS) {
                    tellRefusal();
                    return false;
                }
                if (e.getErrorCode() != EINTR) {
                    throw new IOException(
                            String.format(
                                    Locale.ROOT,
                                    "punching %d bytes at offset %d of %s failed: %s",
                                    bytes,
                                    offset,
                                    path,
                                    e.getMessage()),
                            e);
                }
            }
        }
    }

    private void tellRefusal() {
        if (Calls.REFUSAL_TOLD.compareAndSet(false, true)) {
            LOG.warn(
                    "the file system of {} cannot punch holes; dead space comes back by copying"
                            + " only",
                    path);
        }
    }

    /** Returns the allocated bytes of a range; see {@link StoredFile#allocatedBytes}. */
    long allocatedBytes(long offset, long bytes) throws IOException {
        long end = offset + bytes;
        long sum = 0;
        long at = offset;
        while (at < end) {
            long data = Math.min(end, seek(at, SEEK_DATA, end));
            long hole = data < end ? Math.min(end, seek(data, SEEK_HOLE, end)) : end;
            sum += hole - data;
            at = hole;
        }
        return sum;
    }

    /**
     * Returns the offset of the next data or hole at or behind the offset; {@code none} when there
     * is no more data.
     */
    private long seek(long offset, int whence, long none) throws IOException {
        try {
            return Calls.lseek(descriptor, offset, whence);
        } catch (LastErrorException e) {
            if (e.getErrorCode() == ENXIO) {
                return none;
            }
            if (e.getErrorCode() == EINVAL) {
                // The platform has no such call: the whole range counts as data.
                return whence == SEEK_DATA ? offset : none;
            }
            throw new IOException("looking for holes in " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            int done = Calls.close(descriptor);
            assert done == 0;
        } catch (LastErrorException e) {
            throw new IOException("closing " + path + " failed: " + e.getMessage(), e);
        }
    }
}
