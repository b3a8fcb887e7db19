package io.volute.server.s3.body;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.Allowance;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of one document as they arrive. It allocates for received bytes, never for announced
 * ones, and reserves each allocation in the allowance of the request. Not thread-safe.
 */
public final class DocumentBuffer implements AutoCloseable {
    private static final int FIRST_BYTES = 4096;

    private final Allowance allowance;
    private final int max;
    private byte[] bytes = new byte[0];
    private int count;
    private long reserved;

    /**
     * @param allowance of the request, which has the heap
     * @param max bytes of the document
     */
    public DocumentBuffer(Allowance allowance, int max) {
        this.allowance = allowance;
        this.max = max;
    }

    /**
     * Appends bytes.
     *
     * @throws S3Exception MaxMessageLengthExceeded beyond the maximum, SlowDown when the request
     *     gets no more heap
     */
    public void add(ByteBuffer piece) {
        int more = piece.remaining();
        if (more > max - count) {
            throw new S3Exception(S3Error.MAX_MESSAGE_LENGTH_EXCEEDED);
        }
        if (more > bytes.length - count) {
            grow(Math.min(max, Math.max(count + more, Math.max(FIRST_BYTES, 2 * bytes.length))));
        }
        piece.get(bytes, count, more);
        count += more;
    }

    private void grow(int capacity) {
        long cost = (long) (capacity - bytes.length) * Limits.DOCUMENT_WEIGHT;
        allowance.take(cost);
        reserved += cost;
        bytes = Arrays.copyOf(bytes, capacity);
    }

    /** Returns the document. Add nothing afterwards. */
    public byte[] document() {
        if (count < bytes.length) {
            bytes = Arrays.copyOf(bytes, count);
        }
        return bytes;
    }

    /** Returns the reserved heap. Call when the document is no longer used. */
    @Override
    public void close() {
        if (reserved > 0) {
            allowance.giveBack(reserved);
            reserved = 0;
        }
    }
}
