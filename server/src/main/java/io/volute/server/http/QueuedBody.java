package io.volute.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.volute.server.Limits;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A body on its way from the event loop (which puts) to the thread of the request (which takes).
 * Holds at most {@link Limits#BODY_QUEUE_BYTES_MAX}: the event loop calls {@link #wantsMore} before
 * it reads on, and the taker calls the demand when it has made room. Critical sections are a few
 * instructions long, so that the event loop does not wait.
 */
final class QueuedBody implements RequestBody {
    /** Bytes that an entry costs besides its content. */
    private static final int ENTRY_BYTES = 256;

    /** Contents below this are copied together, so that tiny chunks cost no object each. */
    private static final int SMALL_BYTES = 1024;

    private static final int GATHER_BYTES = 8 * SMALL_BYTES;

    private final ByteBufAllocator buffers;
    private final BufferBudget budget;
    private final Runnable demand;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();
    private int queuedBytes;
    private long takenBytes;
    private boolean wanted;
    private boolean paused;
    private boolean reserved;
    private boolean ended;
    private boolean closed;
    private String failure = "";

    /** The buffer being taken; used by the taker alone. */
    private ByteBuf current = Unpooled.EMPTY_BUFFER;

    private ByteBuffer view = ByteBuffer.allocate(0);

    /**
     * @param demand called on the taker's thread when bytes are wanted and reading is paused
     */
    QueuedBody(ByteBufAllocator buffers, BufferBudget budget, Runnable demand) {
        this.buffers = buffers;
        this.budget = budget;
        this.demand = demand;
    }

    // ---- the taker

    @Override
    public boolean next() throws IOException {
        releaseCurrent();
        lock.lock();
        try {
            boolean asked = false;
            while (queue.isEmpty()) {
                if (!failure.isEmpty()) {
                    throw new IOException(failure);
                }
                if (ended) {
                    return false;
                }
                if (closed) {
                    throw new IOException("the request body is closed");
                }
                if (asked) {
                    changed.awaitUninterruptibly();
                } else {
                    asked = true;
                    wanted = true;
                    paused = false;
                    demand.run();
                }
            }
            take();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void take() {
        wanted = true;
        current = queue.remove();
        queuedBytes -= current.readableBytes() + ENTRY_BYTES;
        view = current.nioBuffer();
        if (queue.isEmpty()) {
            giveBackReservation();
        }
        if (paused && hasRoom()) {
            paused = false;
            demand.run();
        }
    }

    @Override
    public ByteBuffer buffer() {
        return view;
    }

    /** Ends the taker's use: frees the queue; later arrivals are dropped. */
    void close() {
        releaseCurrent();
        lock.lock();
        try {
            closed = true;
            for (ByteBuf buffer : queue) {
                buffer.release();
            }
            queue.clear();
            queuedBytes = 0;
            giveBackReservation();
        } finally {
            lock.unlock();
        }
    }

    private void releaseCurrent() {
        view = ByteBuffer.allocate(0);
        current.release();
        current = Unpooled.EMPTY_BUFFER;
    }

    // ---- the event loop

    /** Adds bytes; takes over the buffer. */
    void put(ByteBuf content) {
        lock.lock();
        try {
            if (closed || !content.isReadable()) {
                content.release();
                return;
            }
            takenBytes += content.readableBytes();
            if (!queue.isEmpty() && content.readableBytes() < SMALL_BYTES) {
                gather(content);
            } else {
                queue.add(content);
                queuedBytes += content.readableBytes() + ENTRY_BYTES;
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void gather(ByteBuf content) {
        ByteBuf tail = queue.getLast();
        // A received slice has no free room: its capacity is its content.
        if (tail.capacity() != GATHER_BYTES || tail.writableBytes() < content.readableBytes()) {
            tail = buffers.directBuffer(GATHER_BYTES, GATHER_BYTES);
            queue.add(tail);
            queuedBytes += ENTRY_BYTES;
        }
        queuedBytes += content.readableBytes();
        tail.writeBytes(content);
        content.release();
    }

    /** Bytes that were put before it was closed. */
    long takenBytes() {
        lock.lock();
        try {
            return takenBytes;
        } finally {
            lock.unlock();
        }
    }

    /** The body is complete. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Fails the body: the taker gets the queued bytes, then an exception. */
    void fail(String reason) {
        lock.lock();
        try {
            if (failure.isEmpty() && !ended) {
                failure = reason;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The taker waits and there is nothing for it. */
    boolean isHungry() {
        lock.lock();
        try {
            return wanted && queue.isEmpty() && !ended && !closed && failure.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether to read on now. If not, the demand callback runs when that changes. */
    boolean wantsMore() {
        lock.lock();
        try {
            if (!wanted || closed || ended || !failure.isEmpty()) {
                return false;
            }
            if (queue.isEmpty()) {
                return true;
            }
            if (hasRoom()) {
                if (!reserved) {
                    reserved = budget.tryTake(Limits.READ_BYTES_MAX);
                }
                if (reserved) {
                    return true;
                }
            }
            paused = true;
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom() {
        return queuedBytes <= Limits.BODY_QUEUE_BYTES_MAX - Limits.READ_BYTES_MAX;
    }

    private void giveBackReservation() {
        if (reserved) {
            reserved = false;
            budget.giveBack(Limits.READ_BYTES_MAX);
        }
    }
}
