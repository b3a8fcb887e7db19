package io.volute.storage.log.segment;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A pool that keeps some direct buffers of one size for the next user. It bounds only the idle
 * ones.
 */
public final class BufferPool {
    private static final int KEPT_MAX = 32;

    private final int bufferBytes;
    private final BlockingQueue<ByteBuffer> kept = new ArrayBlockingQueue<>(KEPT_MAX);

    public BufferPool(int bufferBytes) {
        this.bufferBytes = bufferBytes;
    }

    public ByteBuffer take() {
        ByteBuffer buffer = kept.poll();
        return buffer == null ? ByteBuffer.allocateDirect(bufferBytes) : buffer.clear();
    }

    public void give(ByteBuffer buffer) {
        kept.offer(buffer);
    }
}
