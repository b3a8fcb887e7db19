package io.volute.versioning.body;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The bytes of a blob on their way into another cube, as they are stored: one blob, or one for each
 * part. Not thread-safe.
 */
public final class MovedBlob implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final RecordStore cube;
    private final List<PendingBlob> blobs = new ArrayList<>();
    private List<Transaction.Part> parts = List.of();

    /** Creates a blob without bytes in the cube to which they move. */
    public MovedBlob(RecordStore cube) {
        this.cube = cube;
    }

    /** The change that adds the bytes. */
    public interface Adding {
        void add(PendingBlob blob);

        void compose(BlobId blob, List<Transaction.Part> parts);
    }

    /** Moves the bytes. */
    public void take(BlobReader reader) throws IOException {
        parts = reader.parts();
        if (parts.isEmpty()) {
            blobs.add(move(reader, 0, reader.bytes()));
            return;
        }
        long from = 0;
        for (Transaction.Part part : parts) {
            blobs.add(move(reader, from, from + part.bytes()));
            from += part.bytes();
        }
    }

    private PendingBlob move(BlobReader reader, long from, long to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(to - from))) {
            long place = from;
            while (place < to) {
                buffer.clear();
                if (reader.bufferBytes(place) > buffer.capacity()) {
                    buffer = ByteBuffer.allocateDirect(reader.bufferBytes(place));
                }
                reader.read(place, to, buffer);
                place += buffer.remaining();
                writer.write(buffer);
            }
            return writer.finish();
        }
    }

    /** Returns whether the blob has no parts. */
    public boolean isPlain() {
        return parts.isEmpty();
    }

    /** Returns the first blob, which is all of a plain one. */
    public PendingBlob first() {
        return blobs.getFirst();
    }

    /** Adds the blob to a change; returns its id. */
    public BlobId addTo(Adding change) {
        blobs.forEach(change::add);
        if (parts.isEmpty()) {
            return first().id();
        }
        List<Transaction.Part> own = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            PendingBlob blob = blobs.get(i);
            own.add(new Transaction.Part(blob.id(), blob.bytes(), parts.get(i).attributes()));
        }
        BlobId whole = new BlobId(cube.allocateId());
        change.compose(whole, own);
        return whole;
    }

    @Override
    public void close() {
        blobs.forEach(PendingBlob::close);
    }
}
