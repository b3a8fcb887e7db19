package io.volute.testkit.model;

import io.volute.versioning.value.BucketInfo.VersioningState;
import java.util.List;

/**
 * One call on an object store, by value, so that two stores can be given the same. Versions are
 * named by ordinal: the how-manieth version made in the sequence, whatever number a store gave it.
 */
sealed interface StoreOperation {

    /** Which version is meant. */
    sealed interface Which {
        record Latest() implements Which {}

        record Null() implements Which {}

        /**
         * The {@code ordinal}th version made, counted from 1; may be gone or never made. Of a null
         * version only its name is kept: it means whatever is the null version now.
         */
        record Ordinal(int ordinal) implements Which {}
    }

    /** A condition; the ETag is given by the size and seed of the content that has it. */
    sealed interface If {
        record Always() implements If {}

        record Absent() implements If {}

        record Present() implements If {}

        record Holds(int size, int seed) implements If {}
    }

    Which LATEST = new Which.Latest();
    If ALWAYS = new If.Always();

    record CreateBucket(String bucket, String owner, boolean locking) implements StoreOperation {}

    record DeleteBucket(String bucket) implements StoreOperation {}

    record ListBuckets(String prefix, String after, int max) implements StoreOperation {}

    record SetVersioning(String bucket, VersioningState state) implements StoreOperation {}

    /**
     * @param byDefault new versions are locked for a day
     */
    record SetObjectLock(String bucket, boolean byDefault) implements StoreOperation {}

    /** A put of {@code size} bytes made from the seed. */
    record Put(String bucket, String key, int size, int seed, If condition)
            implements StoreOperation {}

    record Head(String bucket, String key, Which which) implements StoreOperation {}

    record Get(String bucket, String key, Which which) implements StoreOperation {}

    record Delete(String bucket, String key, Which which, If condition, boolean bypass)
            implements StoreOperation {}

    record Target(String key, Which which) {}

    record DeleteAll(String bucket, List<Target> targets, boolean bypass)
            implements StoreOperation {}

    record Copy(String from, String fromKey, Which which, String to, String toKey, If condition)
            implements StoreOperation {}

    /** The new state of a lock. */
    enum Lock {
        NO_RETENTION,
        GOVERNANCE_SHORT,
        GOVERNANCE_LONG,
        COMPLIANCE_SHORT,
        COMPLIANCE_LONG,
        OVER,
        HOLD_ON,
        HOLD_OFF
    }

    record SetLock(String bucket, String key, Which which, Lock lock, boolean bypass)
            implements StoreOperation {}

    record SetTags(String bucket, String key, Which which, int seed) implements StoreOperation {}

    /** Lists all pages of {@code max} entries. */
    record ListObjects(String bucket, String prefix, String delimiter, String after, int max)
            implements StoreOperation {}

    /** Lists all pages of {@code max} entries. */
    record ListVersions(String bucket, String prefix, String delimiter, String after, int max)
            implements StoreOperation {}

    record CreateUpload(String bucket, String key, int seed) implements StoreOperation {}

    /**
     * @param upload the how-manieth upload of the sequence, counted from 1
     */
    record PutPart(int upload, int number, int size, int seed) implements StoreOperation {}

    /** Completes with the last parts put under these numbers. */
    record Complete(int upload, List<Integer> numbers, If condition) implements StoreOperation {}

    record Abort(int upload) implements StoreOperation {}

    /** Lists all pages of {@code max} parts. */
    record ListParts(int upload, int max) implements StoreOperation {}

    /** Lists all pages of {@code max} entries. */
    record ListUploads(String bucket, String prefix, String delimiter, int max)
            implements StoreOperation {}

    /** Closes the store and opens it again. */
    record Reopen() implements StoreOperation {}
}
