package io.volute.versioning.body;

import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A reader of a body that is in its record, whose checksum is already verified. Used by one thread.
 *
 * @param body from its position to its limit
 */
public record RecordBodyReader(ByteBuffer body) implements BlobReader {
    @Override
    public long bytes() {
        return body.remaining();
    }

    @Override
    public List<Transaction.Part> parts() {
        return List.of();
    }

    @Override
    public int bufferBytes(long offset) {
        return body.remaining();
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) {
        if (offset < 0 || offset >= endOffset || endOffset > bytes()) {
            throw new IllegalArgumentException(
                    "no range " + offset + " to " + endOffset + " in " + bytes() + " bytes");
        }
        int length = Math.toIntExact(endOffset - offset);
        ByteBuffer range = body.slice(body.position() + Math.toIntExact(offset), length);
        target.clear().put(range).flip();
    }

    @Override
    public void close() {}
}
