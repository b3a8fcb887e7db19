package io.volute.server.s3.notification;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The events that one connected client reads. Writers offer events and never wait; a client that is
 * too slow is cut off. Thread-safe.
 */
final class EventStream {
    private static final byte[] END = {};

    /** Events after which the permission is checked again, also without a silence. */
    private static final int EVENTS_TO_CHECK = 1000;

    private final EventStreams.Wanted wanted;
    private final Duration silence;
    private final BlockingQueue<byte[]> waiting;
    private volatile boolean isCut;

    /**
     * @param silence time without an event after which the client gets a blank
     * @param waitingMax events that may wait for the client
     */
    EventStream(EventStreams.Wanted wanted, Duration silence, int waitingMax) {
        this.wanted = wanted;
        this.silence = silence;
        this.waiting = new ArrayBlockingQueue<>(waitingMax);
    }

    EventStreams.Wanted wanted() {
        return wanted;
    }

    void offer(byte[] document) {
        if (!waiting.offer(document)) {
            isCut = true;
        }
    }

    /** Ends the stream behind the events that wait, or at once if too many do. */
    void end() {
        offer(END);
    }

    /**
     * Writes events until the stream ends.
     *
     * @param isAllowed checked in each silence and now and then between events; false ends the
     *     stream
     * @throws IOException when the client has gone, or was too slow and misses events
     */
    void writeTo(OutputStream out, BooleanSupplier isAllowed) throws IOException {
        // The client learns at once that it listens.
        blank(out);
        int written = 0;
        while (true) {
            byte[] next = next();
            if (isCut) {
                throw new IOException("the client is too slow for its events");
            }
            if (next == END) {
                return;
            }
            if (next != null) {
                out.write(next);
                out.write('\n');
                if (waiting.isEmpty()) {
                    out.flush();
                }
                if (++written % EVENTS_TO_CHECK == 0 && !isAllowed.getAsBoolean()) {
                    return;
                }
            } else if (isAllowed.getAsBoolean()) {
                blank(out);
            } else {
                return;
            }
        }
    }

    private static void blank(OutputStream out) throws IOException {
        out.write(' ');
        out.flush();
    }

    private byte[] next() throws IOException {
        try {
            return waiting.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
