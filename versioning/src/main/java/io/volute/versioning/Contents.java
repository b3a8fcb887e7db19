package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.versioning.value.ObjectAttributes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The contents of all versions, kept states and parts in a cube. They are read and verified without
 * the master key of the store: each stretch by its checksum, the whole by its content hash or MD5.
 * Used by one thread.
 */
public interface Contents {
    /** The outcome for a state. */
    enum Verdict {
        /** The content is the written one. */
        SOUND,
        /** Bytes are damaged or missing, or the content is another one. */
        DAMAGED,
        /** All checksums fit, and neither a hash nor a key proves the content. */
        UNPROVEN
    }

    /**
     * A state that was read.
     *
     * @param words by what it is proven, or why it is not
     */
    record Verified(Damages.State state, Verdict verdict, String words) {}

    /** Opens encrypted contents, for states of which no hash of the stored bytes is known. */
    @FunctionalInterface
    interface Decryption {
        /**
         * Returns a reader of the content, which fails where the bytes are not the encrypted ones.
         * It need not be closed. Empty when the content was shredded: nobody can open it.
         *
         * @param bucket name of the bucket
         * @param stored the stored bytes
         * @param sizes lengths of the contents of the bodies in it, in order
         * @throws ClosedException when the content cannot be opened
         */
        Optional<BlobReader> open(
                String bucket,
                long bucketId,
                String key,
                ObjectAttributes attributes,
                BlobReader stored,
                List<Long> sizes)
                throws IOException;
    }

    /** Thrown when the keys at hand do not open an encrypted content. */
    final class ClosedException extends IOException {
        private static final long serialVersionUID = 1L;

        public ClosedException(String message) {
            super(message);
        }
    }

    /** Receives what was read. */
    interface Watch {
        /**
         * Called for each state, in the order of buckets and keys.
         *
         * @param done number of states so far
         * @param total number of states of the cube
         * @param bytes bytes of content so far
         */
        void verified(Verified state, long done, long total, long bytes) throws IOException;
    }

    /**
     * Reads all states.
     *
     * @throws IOException when the files cannot be read at all; damage is reported, not thrown
     */
    void verify(Decryption decryption, Watch watch) throws IOException;
}
