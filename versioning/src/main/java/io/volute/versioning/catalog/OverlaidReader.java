package io.volute.versioning.catalog;

import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Stored content with some stretches from elsewhere. Used by one thread. */
final class OverlaidReader implements BlobReader {
    /** Reads the content of a stretch. */
    interface Piece {
        ByteBuffer content() throws IOException;
    }

    private record Placed(long end, Piece piece) {}

    private final BlobReader stored;
    private final TreeMap<Long, Placed> pieces = new TreeMap<>();

    OverlaidReader(BlobReader stored) {
        this.stored = stored;
    }

    void put(long offset, int bytes, Piece piece) {
        pieces.put(offset, new Placed(offset + bytes, piece));
    }

    @Override
    public long bytes() {
        return stored.bytes();
    }

    @Override
    public List<Transaction.Part> parts() throws IOException {
        return stored.parts();
    }

    @Override
    public int bufferBytes(long offset) {
        Map.Entry<Long, Placed> at = pieces.floorEntry(offset);
        int own = at == null ? 0 : Math.toIntExact(at.getValue().end() - at.getKey());
        return Math.max(own, stored.bufferBytes(offset));
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        Map.Entry<Long, Placed> at = pieces.floorEntry(offset);
        if (at != null && offset < at.getValue().end()) {
            int from = Math.toIntExact(offset - at.getKey());
            int end = Math.toIntExact(Math.min(endOffset, at.getValue().end()) - at.getKey());
            ByteBuffer content = at.getValue().piece().content();
            target.clear().put(content.slice(content.position() + from, end - from)).flip();
            return;
        }
        Long next = pieces.higherKey(offset);
        stored.read(offset, next == null ? endOffset : Math.min(endOffset, next), target);
    }

    @Override
    public void close() {
        stored.close();
    }
}
