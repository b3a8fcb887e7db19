package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.storage.report.Damage;
import io.volute.storage.report.RecordRepair.Stretch;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Names what damage concerns, and repairs it in place. A repair writes the bytes that were there
 * before, so it makes no version, and signed entries keep covering what they cover. Thread-safe.
 */
public interface Damages {
    /** The use of damaged bytes. */
    enum Use {
        /** The newest version of a key. */
        CURRENT,
        /** An older version that clients see. */
        NONCURRENT,
        /** A state that only the past of the bucket shows. */
        HISTORY,
        /** A part of a multipart upload in progress. */
        UPLOAD_PART,
        /** A row of the store itself. */
        ROW
    }

    /**
     * A state whose bytes are damaged, or a row of the store.
     *
     * @param bucket empty for rows that belong to no bucket, and for unknown buckets
     * @param key empty for rows that belong to no key
     * @param version id of the version as clients see it; empty if it has none
     * @param number number of the version, 0 if it has none
     * @param bytes length of the content
     * @param modified {@link Instant#EPOCH} if unknown
     * @param words what a row is; empty for states
     */
    record State(
            Use use,
            String bucket,
            String key,
            String version,
            long number,
            long bytes,
            Instant modified,
            String words,
            Damage.User user) {}

    /** Describes the users of damaged bytes. Users that are gone by now are left out. */
    List<State> describe(List<Damage.User> users);

    /**
     * Returns the states of a key.
     *
     * @param version id of a version; empty for all states
     * @throws StoreException NO_SUCH_BUCKET
     */
    List<State> states(BucketName bucket, ObjectKey key, Optional<String> version);

    /** A source of right bytes. */
    sealed interface Source {
        /** A copy of the segment files, as a backup has them. */
        @FunctionalInterface
        non-sealed interface OfLog extends Source {
            /**
             * Returns the bytes of a stretch; empty when no copy has right ones.
             *
             * @param isRight whether bytes are those of the stretch
             */
            Optional<ByteBuffer> read(Stretch stretch, Predicate<ByteBuffer> isRight)
                    throws IOException;
        }

        /** Other states of the key with the same content. */
        record OfStates() implements Source {}

        /**
         * The same version in another store or bucket. It may be somebody else's, who gives other
         * bytes each time: nothing of it is written before all of the content was verified.
         */
        @FunctionalInterface
        non-sealed interface OfReplica extends Source {
            /**
             * Opens the content as it is stored here. The caller closes it.
             *
             * @throws IOException when there is none, or it cannot be read, with the reason
             */
            BlobReader open(State state) throws IOException;
        }
    }

    /**
     * The outcome of a repair.
     *
     * @param damaged number of damaged entries and chunks before
     * @param left number of them that are still damaged
     * @param verified by what the content was verified: {@code content hash}, {@code MD5} or {@code
     *     checksum}
     * @param words why some are left; empty when none are
     */
    record Repaired(int damaged, int left, String verified, String words) {}

    /**
     * Repairs a state and everything that shares its bytes. Content that contradicts the signed
     * history or the ETag is not written.
     *
     * @throws IOException when the source or the log cannot be read or written
     */
    Repaired repair(State state, Source source) throws IOException;
}
