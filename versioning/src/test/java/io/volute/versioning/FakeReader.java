package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import java.nio.ByteBuffer;
import java.util.List;

/** Reads what a {@link FakeCube} keeps in memory. */
record FakeReader(byte[] content, List<Transaction.Part> parts) implements BlobReader {
    private static final int CHUNK_BYTES = 1000;

    @Override
    public long bytes() {
        return content.length;
    }

    @Override
    public int bufferBytes(long offset) {
        return CHUNK_BYTES;
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) {
        int length = (int) Math.min(endOffset - offset, CHUNK_BYTES);
        target.clear().put(content, (int) offset, length).flip();
    }

    @Override
    public void close() {}
}
