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

/** Bodies in memory: byte arrays behind the interfaces of the storage core. */
public final class MemoryBody {
    private MemoryBody() {}

    /** A finished body. */
    public record Finished(BlobId id, byte[] content) implements PendingBlob {
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

    public static byte[] content(PendingBlob body) {
        return ((Finished) body).content();
    }

    /** Gathers a body. */
    public static final class Writer implements BlobWriter {
        private final BlobId id;
        private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();

        public Writer(BlobId id) {
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

    /**
     * A reader that delivers at most the rest of a chunk at once, as a log does.
     *
     * @param chunkBytes at least 1
     */
    public record Reader(byte[] content, int chunkBytes) implements BlobReader {
        /** Creates a reader that delivers all requested bytes at once. */
        public Reader(byte[] content) {
            this(content, Math.max(1, content.length));
        }

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
            return chunkBytes;
        }

        @Override
        public void read(long offset, long endOffset, ByteBuffer target) {
            long end = Math.min(endOffset, (offset / chunkBytes + 1) * chunkBytes);
            target.clear();
            target.put(content, (int) offset, (int) (end - offset));
            target.flip();
        }

        @Override
        public void close() {}
    }
}
