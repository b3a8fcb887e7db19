package io.volute.versioning.provenance;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobId;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/** Computes the SHA-256 of a body while it is written. */
public final class ContentHash {
    private ContentHash() {}

    /**
     * Returns a writer whose body carries its hash.
     *
     * @param known the hash, which the caller verifies; empty to compute it
     */
    public static BlobWriter over(BlobWriter target, Optional<byte[]> known) {
        return known.isPresent()
                ? new Known(target, Hash.of(known.get()))
                : new Hashing(target, Hash.sha256());
    }

    private record Known(BlobWriter target, Hash hash) implements BlobWriter {
        @Override
        public void write(ByteBuffer source) throws IOException {
            target.write(source);
        }

        @Override
        public PendingBlob finish() throws IOException {
            return new Hashed(target.finish(), hash);
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
            return new Hashed(target.finish(), Hash.of(digest.digest()));
        }

        @Override
        public void close() {
            target.close();
        }
    }

    private record Hashed(PendingBlob blob, Hash hash) implements PendingBlob {
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

    /** Returns the hash, if the body was written through a writer of {@link #over}. */
    public static Optional<Hash> of(PendingBlob body) {
        return body instanceof Hashed hashed ? Optional.of(hashed.hash) : Optional.empty();
    }

    /** Returns the body as the cube made it. */
    public static PendingBlob plain(PendingBlob body) {
        return body instanceof Hashed hashed ? hashed.blob : body;
    }
}
