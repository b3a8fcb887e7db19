package io.volute.versioning.provenance;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.versioning.body.Origin;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.value.BodyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Determines the hash of a body while it is written: its SHA-256, or one over the hashes of its
 * pieces when the client's signature made the server compute those anyway.
 */
public final class ContentHash {
    private ContentHash() {}

    /** Returns a writer whose body carries its hash. */
    public static BlobWriter over(BlobWriter target, BodyHash hash) {
        return switch (hash) {
            case BodyHash.Known(Hash sha256) -> new Promised(target, sha256);
            case BodyHash.Unknown unknown -> new Hashing(target, Hash.sha256());
            case BodyHash.InPieces pieces -> new InPieces(target, pieces);
        };
    }

    /**
     * Returns the hash of stored content, in the form that entries have.
     *
     * @param parts sizes of the parts that the hash is made from, as the entry has them; empty for
     *     content in one piece, and for parts that the blob itself knows
     * @return zeros when the content cannot have such parts
     */
    public static Hash of(BlobReader reader, Optional<String> parts) throws IOException {
        Optional<List<Long>> sizes =
                parts.isPresent() ? Origin.sizes(parts.get()) : partsOf(reader);
        if (sizes.isEmpty()) {
            return parts.isPresent() ? Hash.ZERO : hash(reader, 0, reader.bytes());
        }
        if (sizes.get().stream().mapToLong(each -> each).sum() != reader.bytes()) {
            return Hash.ZERO;
        }
        List<Origin.Part> hashes = new ArrayList<>();
        long from = 0;
        for (long bytes : sizes.get()) {
            Hash hash = hash(reader, from, from + bytes);
            hashes.add(new Origin.Part(bytes, Optional.of(hash)));
            from += bytes;
        }
        return Origin.composed(hashes).content().orElseThrow();
    }

    /** Returns the sizes of the parts that a body was uploaded in, if their hashes are known. */
    private static Optional<List<Long>> partsOf(BlobReader reader) throws IOException {
        List<Transaction.Part> parts = reader.parts();
        boolean isComposed =
                !parts.isEmpty()
                        && parts.stream()
                                .allMatch(part -> PartRow.content(part.attributes()).isPresent());
        return isComposed
                ? Optional.of(parts.stream().map(Transaction.Part::bytes).toList())
                : Optional.empty();
    }

    private static Hash hash(BlobReader reader, long from, long end) throws IOException {
        return Hash.of(digest(reader, from, end, Hash.sha256()));
    }

    /** Returns the digest of a range of stored content. */
    public static byte[] digest(BlobReader reader, long from, long end, MessageDigest digest)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(0);
        for (long at = from; at < end; ) {
            int capacity = reader.bufferBytes(at);
            if (buffer.capacity() < capacity) {
                buffer = ByteBuffer.allocate(capacity);
            }
            buffer.clear();
            reader.read(at, end, buffer);
            at += buffer.remaining();
            digest.update(buffer);
        }
        return digest.digest();
    }

    private record Promised(BlobWriter target, Hash hash) implements BlobWriter {
        @Override
        public void write(ByteBuffer source) throws IOException {
            target.write(source);
        }

        @Override
        public PendingBlob finish() throws IOException {
            return known(target.finish(), Origin.written(Optional.of(hash)));
        }

        @Override
        public void close() {
            target.close();
        }
    }

    private record Hashing(BlobWriter target, MessageDigest digest) implements BlobWriter {
        @Override
        public void write(ByteBuffer source) throws IOException {
            digest.update(source.duplicate());
            target.write(source);
        }

        @Override
        public PendingBlob finish() throws IOException {
            Hash hash = Hash.of(digest.digest());
            return known(target.finish(), Origin.written(Optional.of(hash)));
        }

        @Override
        public void close() {
            target.close();
        }
    }

    /** Computes the hash of what follows the pieces. */
    private static final class InPieces implements BlobWriter {
        private final BlobWriter target;
        private final BodyHash.InPieces pieces;
        private final MessageDigest digest = Hash.sha256();
        private long rest;

        InPieces(BlobWriter target, BodyHash.InPieces pieces) {
            this.target = target;
            this.pieces = pieces;
        }

        @Override
        public void write(ByteBuffer source) throws IOException {
            if (pieces.isFull()) {
                rest += source.remaining();
                digest.update(source.duplicate());
            }
            target.write(source);
        }

        @Override
        public PendingBlob finish() throws IOException {
            List<Origin.Part> parts = new ArrayList<>();
            pieces.pieces()
                    .forEach(
                            piece ->
                                    parts.add(
                                            new Origin.Part(
                                                    piece.bytes(), Optional.of(piece.sha256()))));
            if (rest > 0 || parts.isEmpty()) {
                parts.add(new Origin.Part(rest, Optional.of(Hash.of(digest.digest()))));
            }
            PendingBlob blob = target.finish();
            if (parts.stream().mapToLong(Origin.Part::bytes).sum() != blob.bytes()) {
                blob.close();
                throw new IllegalStateException("the pieces are not the body");
            }
            return known(
                    blob,
                    parts.size() == 1
                            ? Origin.written(parts.getFirst().content())
                            : Origin.composed(parts));
        }

        @Override
        public void close() {
            target.close();
        }
    }

    /**
     * A body with what the store knows about its content.
     *
     * @param contentBytes length of the content, which encryption makes longer
     */
    private record Known(PendingBlob blob, Origin origin, long contentBytes)
            implements PendingBlob {
        @Override
        public BlobId id() {
            return blob.id();
        }

        @Override
        public long bytes() {
            return blob.bytes();
        }

        @Override
        public Optional<ByteBuffer> inMemory() {
            return blob.inMemory();
        }

        @Override
        public void close() {
            blob.close();
        }
    }

    private static PendingBlob known(PendingBlob blob, Origin origin) {
        return new Known(blob, origin, blob.bytes());
    }

    /** Returns the same body, whose content has another length than its bytes. */
    public static PendingBlob encoded(PendingBlob body, long contentBytes) {
        return new Known(plain(body), origin(body), contentBytes);
    }

    /** Returns the length of the content in bytes. */
    public static long contentBytes(PendingBlob body) {
        return body instanceof Known known ? known.contentBytes : body.bytes();
    }

    /** Returns the hash, if the body was written through a writer of {@link #over}. */
    public static Optional<Hash> of(PendingBlob body) {
        return origin(body).content();
    }

    /** Returns the origin of a version with this content. */
    public static Origin origin(PendingBlob body) {
        return body instanceof Known known ? known.origin : Origin.UNKNOWN;
    }

    /** Returns the body as the cube made it. */
    public static PendingBlob plain(PendingBlob body) {
        return body instanceof Known known ? known.blob : body;
    }
}
