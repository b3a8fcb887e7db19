package io.volute.server.cluster.hop;

import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** The body of the owner's answer, which is read once from its beginning to its end. */
final class HopBody implements BlobReader {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final HopConnection connection;
    private final long bytes;
    private final Consumer<Boolean> whenClosed;
    private final byte[] piece = new byte[HopConnection.PIECE_BYTES];
    private long position;

    /**
     * @param whenClosed receives whether the body was read to its end
     */
    HopBody(HopConnection connection, long bytes, Consumer<Boolean> whenClosed) {
        this.connection = connection;
        this.bytes = bytes;
        this.whenClosed = whenClosed;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public List<Transaction.Part> parts() {
        return List.of();
    }

    @Override
    public int bufferBytes(long offset) {
        return (int) Math.min(BUFFER_BYTES, bytes - offset);
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        if (offset != position) {
            throw new IOException("the body of a forwarded answer is read in order only");
        }
        int length = (int) Math.min(BUFFER_BYTES, endOffset - offset);
        int filled = 0;
        while (filled < length) {
            int read = connection.read(piece, length - filled);
            target.put(filled, piece, 0, read);
            filled += read;
        }
        position += filled;
        target.position(0).limit(filled);
    }

    @Override
    public void close() {
        whenClosed.accept(position == bytes);
    }
}
