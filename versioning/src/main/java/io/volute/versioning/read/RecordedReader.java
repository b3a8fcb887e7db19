package io.volute.versioning.read;

import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A reader of an object whose first read is recorded in the history before it delivers anything.
 */
final class RecordedReader implements BlobReader {
    private final BlobReader reader;
    private final Runnable record;
    private boolean isRecorded;

    RecordedReader(BlobReader reader, Runnable record) {
        this.reader = reader;
        this.record = record;
    }

    @Override
    public long bytes() {
        return reader.bytes();
    }

    @Override
    public List<Transaction.Part> parts() throws IOException {
        return reader.parts();
    }

    @Override
    public int bufferBytes(long offset) {
        return reader.bufferBytes(offset);
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        if (!isRecorded) {
            record.run();
            isRecorded = true;
        }
        reader.read(offset, endOffset, target);
    }

    @Override
    public void close() {
        reader.close();
    }
}
