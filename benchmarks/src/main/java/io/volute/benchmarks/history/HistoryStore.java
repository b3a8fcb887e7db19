package io.volute.benchmarks.history;

import io.volute.benchmarks.Ticks;
import io.volute.versioning.Restore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** An object store with a bucket of one policy. Thread-safe. */
interface HistoryStore extends AutoCloseable {
    String BUCKET = "bench";
    long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Its policy, or what it is instead. */
    String name();

    void put(String actor, String key, byte[] content) throws IOException;

    /** Reads as a client does, whose later writes depend on it; empty when there is none. */
    Optional<byte[]> get(String actor, String key) throws IOException;

    /** Ends what clients have begun, as when they close their files; not beside other calls. */
    void endSessions() throws IOException, InterruptedException;

    /** Restores the goal and waits for the end; returns the number of restored keys. */
    long restore(Restore.Goal goal) throws IOException;

    /** Returns the space that the store occupies. */
    Taken taken() throws IOException;

    /** The processes that do the work, this one first. */
    List<ProcessHandle> processes();

    @Override
    void close() throws IOException;

    /**
     * The space of a store in bytes; empty where the store does not report it.
     *
     * @param log that clients' requests have added to the log
     * @param keptStates that S3's clients cannot see
     * @param kept bytes of those
     * @param causal of the events, of who the actors are, and of the rows of kept states
     */
    record Taken(
            OptionalLong log, OptionalLong keptStates, OptionalLong kept, OptionalLong causal) {}

    /** Returns pseudo-random content that is determined by the object and the time. */
    static byte[] content(long object, long time, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(object << Integer.SIZE | time).nextBytes(content);
        return content;
    }

    /** Reads an object as {@link #get} does; fails if its length differs from {@code bytes}. */
    default void read(String actor, String key, int bytes) throws IOException {
        int found = get(actor, key).map(content -> content.length).orElse(-1);
        if (found != bytes) {
            throw new IOException(key + " has " + found + " bytes, wanted " + bytes);
        }
    }

    /** The present, which is over when the call returns. */
    default Instant instant() {
        Instant now = Ticks.wallClock();
        while (Ticks.wallClock().toEpochMilli() <= now.toEpochMilli() + 1) {
            Ticks.waitUntil(Ticks.nanos() + POLL_NANOS);
        }
        return now;
    }
}
