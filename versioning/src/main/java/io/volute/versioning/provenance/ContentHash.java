package io.volute.versioning.provenance;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobId;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
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
