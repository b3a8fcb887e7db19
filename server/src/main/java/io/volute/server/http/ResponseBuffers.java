package io.volute.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.volute.server.Limits;
import io.volute.storage.BlobReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;

/**
 * The buffers of one response on their way to the socket: at most {@link
 * Limits#RESPONSE_BUFFERS_MAX}; without budget, one. The request's thread takes them and waits for
 * them; any thread gives them back.
 */
final class ResponseBuffers {
    private final ByteBufAllocator allocator;
    private final BufferBudget budget;
    private final Semaphore permits = new Semaphore(Limits.RESPONSE_BUFFERS_MAX);

    ResponseBuffers(ByteBufAllocator allocator, BufferBudget budget) {
        this.allocator = allocator;
        this.budget = budget;
    }

    /** A buffer, with the permits and the budget that it holds. */
    record Chunk(ByteBuf buffer, int permits, long budget) {}

    /** Waits until a piece without a buffer may be on its way, and counts it as one. */
    void enter() {
        permits.acquireUninterruptibly();
    }

    /** Ends the count of such a piece, which was written. */
    void leave() {
        permits.release();
    }

    /** Waits until a buffer may be on its way, and makes one. */
    Chunk take(int capacity) {
        boolean paid = budget.tryTake(capacity);
        // Without budget, it waits until its previous buffers are free, and then uses one.
        int taken = paid ? 1 : Limits.RESPONSE_BUFFERS_MAX;
        permits.acquireUninterruptibly(taken);
        return new Chunk(allocator.directBuffer(capacity, capacity), taken, paid ? capacity : 0);
    }

    /** Takes a buffer and fills it from a blob, at most to the given end. */
    Chunk read(BlobReader reader, long offset, long end) throws IOException {
        Chunk chunk = take(reader.bufferBytes(offset));
        int capacity = chunk.buffer().capacity();
        boolean filled = false;
        try {
            ByteBuffer target = chunk.buffer().nioBuffer(0, capacity);
            reader.read(offset, end, target);
            if (target.remaining() == 0 || target.remaining() > end - offset) {
                throw new IOException(
                        "the store delivered " + target.remaining() + " bytes at " + offset);
            }
            chunk.buffer().setIndex(target.position(), target.limit());
            filled = true;
            return chunk;
        } finally {
            if (!filled) {
                drop(chunk);
            }
        }
    }

    /** Frees a buffer that is not sent. */
    void drop(Chunk chunk) {
        chunk.buffer().release();
        giveBack(chunk);
    }

    /** A buffer was written, and the connection has freed it. */
    void giveBack(Chunk chunk) {
        permits.release(chunk.permits());
        budget.giveBack(chunk.budget());
    }
}
