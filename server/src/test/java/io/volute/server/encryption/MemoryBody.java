package io.volute.server.encryption;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** A body in memory, which is read in pieces of a length as from a log. */
final class MemoryBody implements BlobWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(ByteBuffer source) {
        byte[] next = new byte[source.remaining()];
        source.get(next);
        bytes.writeBytes(next);
    }

    @Override
    public PendingBlob finish() {
        return new Finished(bytes.size());
    }

    @Override
    public void close() {}

    byte[] bytes() {
        return bytes.toByteArray();
    }

    private record Finished(long bytes) implements PendingBlob {
        @Override
        public BlobId id() {
            return new BlobId(1);
        }

        @Override
        public Optional<ByteBuffer> inMemory() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }

    /** Reads an array in chunks. */
    record Reader(byte[] content, int chunk) implements BlobReader {
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
            return chunk;
        }

        @Override
        public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
            long end = Math.min(endOffset, (offset / chunk + 1) * chunk);
            target.clear();
            target.put(content, (int) offset, (int) (end - offset));
            target.flip();
        }

        @Override
        public void close() {}
    }
}
