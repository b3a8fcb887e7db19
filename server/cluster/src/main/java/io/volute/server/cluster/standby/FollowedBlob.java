package io.volute.server.cluster.standby;

import io.volute.storage.BlobReader;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/**
 * Reads a blob of a cube that this node follows. A read that fails can succeed on a later view, or
 * when this node has opened the cube. Used by one thread at a time.
 */
final class FollowedBlob implements BlobReader {
    private final BlobReader reader;
    private final Supplier<CubeUnavailableException> refusal;

    /**
     * @param refusal returns a new refusal, which a client repeats
     */
    FollowedBlob(BlobReader reader, Supplier<CubeUnavailableException> refusal) {
        this.reader = reader;
        this.refusal = refusal;
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
        try {
            reader.read(offset, endOffset, target);
        } catch (DamagedException | CubeUnavailableException e) {
            throw e;
        } catch (IOException | IllegalStateException e) {
            CubeUnavailableException refused = refusal.get();
            refused.initCause(e);
            throw refused;
        }
    }

    @Override
    public void close() {
        reader.close();
    }
}
