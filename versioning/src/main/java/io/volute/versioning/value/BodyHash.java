package io.volute.versioning.value;

import io.volute.provenance.format.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The SHA-256 of a body as far as its writer has it, which saves the store computing it. */
public sealed interface BodyHash {
    /** The hash of a body that the store has to compute. */
    BodyHash UNKNOWN = new Unknown();

    /** Returns the hash of the whole body, if it is known; the writer verifies it. */
    static BodyHash of(Optional<byte[]> sha256) {
        return sha256.<BodyHash>map(each -> new Known(Hash.of(each))).orElse(UNKNOWN);
    }

    /** No hash: the store computes it. */
    record Unknown() implements BodyHash {}

    /**
     * The hash of the whole body.
     *
     * @param sha256 the writer verifies it before it finishes the body
     */
    record Known(Hash sha256) implements BodyHash {}

    /**
     * The hashes of the pieces in which a body arrives, added behind the bytes of each. A limited
     * number of them counts. What follows them is one more piece, whose hash the store computes.
     * Used by one thread.
     */
    final class InPieces implements BodyHash {
        private final int max;
        private final List<Piece> pieces = new ArrayList<>();

        /**
         * @param max number of pieces that count
         */
        public InPieces(int max) {
            this.max = max;
        }

        /** A piece of a body. */
        public record Piece(long bytes, Hash sha256) {}

        /** Adds the next piece, whose bytes have been written and verified. */
        public void add(long bytes, byte[] sha256) {
            if (!isFull()) {
                pieces.add(new Piece(bytes, Hash.of(sha256)));
            }
        }

        /** Returns whether the hashes of further pieces do not count. */
        public boolean isFull() {
            return pieces.size() == max;
        }

        public List<Piece> pieces() {
            return List.copyOf(pieces);
        }
    }
}
