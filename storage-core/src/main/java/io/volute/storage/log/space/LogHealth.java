package io.volute.storage.log.space;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The health of the log. After the first failed write or force the log takes no more writes. */
public final class LogHealth {
    private final Path directory;
    private final Supplier<String> remedy;
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private volatile boolean closed;

    /**
     * Creates the health of a log that takes writes.
     *
     * @param remedy what an operator should repair after a failure, as a sentence part
     */
    public LogHealth(Path directory, Supplier<String> remedy) {
        this.directory = directory;
        this.remedy = remedy;
    }

    public void requireWritable() throws CubeUnavailableException {
        if (closed) {
            throw new CubeUnavailableException(Reason.CLOSED, "the log is closed: " + directory);
        }
        String first = failure.get();
        if (!first.isEmpty()) {
            throw new CubeUnavailableException(
                    Reason.READ_ONLY, "the log takes no more writes since " + first);
        }
    }

    /** Makes the log read-only for good; returns the exception for the caller. */
    public CubeUnavailableException fail(String what, IOException cause) {
        String why =
                what + " failed (" + cause.getMessage() + "). " + remedy.get() + ", then restart";
        boolean first = failure.compareAndSet("", why);
        CubeUnavailableException unavailable =
                new CubeUnavailableException(
                        Reason.READ_ONLY, first ? why : why + "; before that: " + failure.get());
        unavailable.initCause(cause);
        return unavailable;
    }

    public boolean isSound() {
        return failure.get().isEmpty() && !closed;
    }

    public void close() {
        closed = true;
    }

    public static CubeUnavailableException full(
            Path directory, long segmentBytes, IOException cause) {
        CubeUnavailableException full =
                CubeUnavailableException.full(
                        CubeUnavailableException.Limit.DISK,
                        "disk full: a log segment needs "
                                + segmentBytes
                                + " bytes in "
                                + directory
                                + ". Free space on that file system, or delete objects: reads and"
                                + " deletes still work. Writes resume by themselves.");
        full.initCause(cause);
        return full;
    }

    /**
     * Returns the refusal of a log that has all the bytes of its capacity, while the disk has more.
     *
     * @param capacityBytes value of the setting {@code log.capacity}
     * @param freeBytes bytes that are free on the file system
     */
    static CubeUnavailableException fullByCapacity(
            Path directory, long capacityBytes, long freeBytes) {
        return CubeUnavailableException.full(
                CubeUnavailableException.Limit.CAPACITY,
                "store full by its setting log.capacity = "
                        + capacityBytes
                        + " bytes for "
                        + directory
                        + "; the disk is not full: it has "
                        + freeBytes
                        + " bytes free. Raise log.capacity and restart, or delete objects and run"
                        + " volute clean --now: reads and deletes still work. Once there is space,"
                        + " writes resume by themselves.");
    }
}
