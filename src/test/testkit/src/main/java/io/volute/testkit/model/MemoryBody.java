package io.volute.testkit.model;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Bodies of the {@link StoreModel}: byte arrays behind the interfaces of the storage core. */
final class MemoryBody {
    private MemoryBody() {}

    /** A finished body. */
    record Finished(BlobId id, byte[] content) implements PendingBlob {
        @Override
        public long bytes() {
            return content.length;
        }

        @Override
        public Optional<ByteBuffer> inMemory() {
            return Optional.of(ByteBuffer.wrap(content));
        }

        @Override
        public void close() {}
    }

    static byte[] content(PendingBlob body) {
        return ((Finished) body).content();
    }

    /** Gathers a body. */
    static final class Writer implements BlobWriter {
        private final BlobId id;
        private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();

        Writer(BlobId id) {
            this.id = id;
        }

        @Override
        public void write(ByteBuffer source) {
            byte[] bytes = new byte[source.remaining()];
            source.get(bytes);
            gathered.writeBytes(bytes);
        }

        @Override
        public PendingBlob finish() {
            return new Finished(id, gathered.toByteArray());
        }

        @Override
        public void close() {}
    }

    /** A reader that delivers all requested bytes at once. */
    record Reader(byte[] content) implements BlobReader {
        @Override
        public long bytes() {
            return content.length;
        }

        @Override
        public List<Transaction.Part> parts() {
            return List.of();
        }

        @Override
        public int bufferBytes(long offset) {
            return content.length;
        }

        @Override
        public void read(long offset, long endOffset, ByteBuffer target) {
            target.clear();
            target.put(content, (int) offset, (int) (endOffset - offset));
            target.flip();
        }

        @Override
        public void close() {}
    }
}
