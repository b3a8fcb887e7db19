package io.volute.server.s3.notification;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.KeyChange;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * The clients that read events while they are connected, as {@code mc watch} does. They get the
 * changes that become visible meanwhile, and no others. Thread-safe.
 */
public final class EventStreams implements AutoCloseable {
    private static final int MOST_STREAMS = 100;
    private static final long MOST_BYTES = 16L << 20;
    private static final int SHARE = 2;
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final String region;
    private final Duration silence;
    private final EventHeap heap;
    private final int streamsMax;
    private final List<EventStream> streams = new CopyOnWriteArrayList<>();
    private volatile boolean isClosed;

    public EventStreams(String region) {
        this(region, SILENCE, MOST_STREAMS, MOST_BYTES);
    }

    /**
     * @param silence time without an event after which a client gets a blank
     * @param streamsMax clients at a time
     * @param bytesMax heap for the events that wait for all clients
     */
    EventStreams(String region, Duration silence, int streamsMax, long bytesMax) {
        this.region = region;
        this.silence = silence;
        this.heap = new EventHeap(bytesMax);
        this.streamsMax = streamsMax;
    }

    /** Returns whether a client wants events of the bucket. */
    public boolean isWatched(BucketInfo bucket) {
        return streams.stream().anyMatch(stream -> stream.wanted().isOf(bucket));
    }

    /** Returns the action that passes a change to the clients, once it is visible. */
    public Runnable offering(KeyChange change, EventType type) {
        List<EventStream> wanting =
                streams.stream().filter(each -> each.wanted().matches(change, type)).toList();
        if (wanting.isEmpty()) {
            return () -> {};
        }
        byte[] document = EventRecord.of(change, type, "", region);
        return () -> wanting.forEach(each -> offer(each, document));
    }

    private void offer(EventStream stream, byte[] document) {
        if (!stream.offer(document)) {
            // It leaves its place to another client before it notices.
            streams.remove(stream);
        }
    }

    /**
     * The events that a client wants.
     *
     * @param bucket empty for all buckets
     */
    public record Wanted(
            Optional<? extends BucketRef> bucket,
            String prefix,
            String suffix,
            Set<EventType> types) {
        boolean isOf(BucketInfo info) {
            return bucket.isEmpty()
                    || bucket.get().name().equals(info.name()) && bucket.get().means(info.id());
        }

        boolean matches(KeyChange change, EventType type) {
            String key = change.version().key().value();
            return isOf(change.bucket())
                    && types.contains(type)
                    && key.startsWith(prefix)
                    && key.endsWith(suffix);
        }
    }

    /** Makes the body of an answer. */
    @FunctionalInterface
    public interface Body {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Begins a stream. Its body lasts until the client goes.
     *
     * @param caller whose client it is
     * @param isAllowed asked for each event, and in each silence; false ends the stream
     * @throws S3Exception SlowDown when too many clients listen, or too many of the caller's
     */
    public Body open(Wanted wanted, String caller, BooleanSupplier isAllowed) {
        if (isFull(caller)) {
            throw new S3Exception(
                    S3Error.SLOW_DOWN, "Too many clients listen to events. Try again later.");
        }
        EventStream stream = new EventStream(wanted, caller, silence, heap);
        return out -> {
            if (isFull(caller)) {
                throw new IOException("too many clients listen to events");
            }
            streams.add(stream);
            if (isClosed) {
                stream.end();
            }
            try {
                stream.writeTo(out, isAllowed);
            } finally {
                streams.remove(stream);
            }
        };
    }

    /** Returns whether all places are taken, or this caller has twice as many as are free. */
    private boolean isFull(String caller) {
        int free = streamsMax - streams.size();
        long own = streams.stream().filter(each -> each.caller().equals(caller)).count();
        return isClosed || free <= 0 || own >= SHARE * free;
    }

    /** Returns the heap of the events that wait for clients, bytes. */
    public long heldBytes() {
        return heap.held();
    }

    /** Returns the number of clients that listen. */
    public int count() {
        return streams.size();
    }

    /** Ends all streams, and refuses new ones. */
    @Override
    public void close() {
        isClosed = true;
        streams.forEach(EventStream::end);
    }
}
