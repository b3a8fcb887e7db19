package io.volute.server.s3.notification;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The events that one connected client reads. Writers offer events and never wait; a client that is
 * too slow is cut off: its answer ends without an end, so that it sees that it has missed events,
 * and listens anew. Thread-safe.
 */
final class EventStream {
    /** Bytes that a waiting event costs besides its document. */
    private static final int EVENT_BYTES = 64;

    private static final byte[] END = {};

    private final EventStreams.Wanted wanted;
    private final String caller;
    private final Duration silence;
    private final EventHeap heap;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean isEnding;
    private boolean isCut;

    /**
     * @param caller whose client it is
     * @param silence time without an event after which the client gets a blank
     * @param heap of all clients, for the events that wait
     */
    EventStream(EventStreams.Wanted wanted, String caller, Duration silence, EventHeap heap) {
        this.wanted = wanted;
        this.caller = caller;
        this.silence = silence;
        this.heap = heap;
    }

    EventStreams.Wanted wanted() {
        return wanted;
    }

    String caller() {
        return caller;
    }

    /** Returns false when the client is cut off: it had no heap for the event, or ended before. */
    boolean offer(byte[] document) {
        long more = (long) document.length + EVENT_BYTES;
        lock.lock();
        try {
            if (isCut) {
                return false;
            }
            if (!heap.tryTake(bytes, more)) {
                forget();
                isCut = true;
            } else {
                bytes += more;
                waiting.add(document);
            }
            changed.signal();
            return !isCut;
        } finally {
            lock.unlock();
        }
    }

    private void forget() {
        heap.giveBack(bytes);
        bytes = 0;
        waiting.clear();
    }

    /** Ends the stream behind the events that wait. */
    void end() {
        lock.lock();
        try {
            isEnding = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes events until the stream ends.
     *
     * @param isAllowed checked for each event and in each silence; false ends the stream
     * @throws IOException when the client has gone, or was too slow and misses events
     */
    void writeTo(OutputStream out, BooleanSupplier isAllowed) throws IOException {
        try {
            write(out, isAllowed);
        } finally {
            stop();
        }
    }

    /** Takes no more events, and returns the heap. */
    private void stop() {
        lock.lock();
        try {
            forget();
            isCut = true;
        } finally {
            lock.unlock();
        }
    }

    private void write(OutputStream out, BooleanSupplier isAllowed) throws IOException {
        // The client learns at once that it listens.
        blank(out);
        while (true) {
            byte[] next = next();
            if (next == END || !isAllowed.getAsBoolean()) {
                return;
            }
            if (next == null) {
                blank(out);
                continue;
            }
            out.write(next);
            out.write('\n');
            if (isEmpty()) {
                out.flush();
            }
        }
    }

    private static void blank(OutputStream out) throws IOException {
        out.write(' ');
        out.flush();
    }

    private boolean isEmpty() {
        lock.lock();
        try {
            return waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next event, {@link #END}, or null after a silence. */
    private byte[] next() throws IOException {
        long rest = silence.toNanos();
        lock.lock();
        try {
            while (waiting.isEmpty() && !isCut && !isEnding && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            if (isCut) {
                throw new IOException("the client is too slow for its events");
            }
            byte[] next = waiting.poll();
            if (next == null) {
                return isEnding ? END : null;
            }
            bytes -= next.length + EVENT_BYTES;
            heap.giveBack(next.length + EVENT_BYTES);
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }
}
