package io.volute.versioning.value;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The attributes of a version besides its bytes. Immutable.
 *
 * @param etag without quotes: hex MD5, or hex MD5 and {@code -parts} for multipart
 * @param headers system metadata by lower-case header name (content-type, cache-control, ...)
 * @param userMetadata by lower-case name without the {@code x-amz-meta-} prefix
 * @param tags object tags
 * @param checksum additional checksum, when there is one
 * @param lock protection of the version from deletion
 */
public record ObjectAttributes(
        String etag,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        SortedMap<String, String> tags,
        Optional<Checksum> checksum,
        ObjectLock lock) {
    /** Name of the header with the ACL, whose content the server defines. No client can set it. */
    public static final String ACL = "x-volute-acl";

    /** Name of the header with the {@link ReplicaOrigin} of a replica. */
    public static final String REPLICA = "x-volute-replica";

    /**
     * Name of the header with the number of the message about the last change of the version that
     * replicates, and its consumers. The signed history does not cover it.
     */
    public static final String REPLICATION = "x-volute-replication";

    /** Name of the header with the storage class, the only header that listings have. */
    public static final String STORAGE_CLASS = "x-amz-storage-class";

    public ObjectAttributes {
        headers = copy(headers);
        userMetadata = copy(userMetadata);
        tags = copy(tags);
    }

    /** Creates attributes without a lock. */
    public ObjectAttributes(
            String etag,
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            SortedMap<String, String> tags,
            Optional<Checksum> checksum) {
        this(etag, headers, userMetadata, tags, checksum, ObjectLock.NONE);
    }

    private static SortedMap<String, String> copy(Map<String, String> map) {
        return map.isEmpty()
                ? Collections.emptySortedMap()
                : Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }

    /** Returns attributes with only an ETag, which may be empty. */
    public static ObjectAttributes ofEtag(String etag) {
        return new ObjectAttributes(
                etag,
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                Optional.empty());
    }

    public ObjectAttributes withTags(Map<String, String> newTags) {
        return new ObjectAttributes(etag, headers, userMetadata, copy(newTags), checksum, lock);
    }

    /** Returns the same attributes with another value of a header; empty removes the header. */
    public ObjectAttributes withHeader(String name, Optional<String> value) {
        if (value.equals(Optional.ofNullable(headers.get(name)))) {
            return this;
        }
        SortedMap<String, String> changed = new TreeMap<>(headers);
        value.ifPresentOrElse(text -> changed.put(name, text), () -> changed.remove(name));
        return new ObjectAttributes(etag, changed, userMetadata, tags, checksum, lock);
    }

    /** Returns the same attributes with another lock. */
    public ObjectAttributes with(ObjectLock newLock) {
        return newLock.equals(lock)
                ? this
                : new ObjectAttributes(etag, headers, userMetadata, tags, checksum, newLock);
    }

    /**
     * An additional checksum (S3 User Guide, "Checking object integrity").
     *
     * @param value as sent: base64, with {@code -parts} behind it for composite ones
     */
    public record Checksum(Algorithm algorithm, Type type, String value) {}

    /** The algorithm of a checksum. Ids are on disk; only add at the end. */
    public enum Algorithm {
        CRC32(4),
        CRC32C(4),
        CRC64NVME(8),
        SHA1(20),
        SHA256(32),
        SHA512(64),
        MD5(16),
        XXHASH64(8),
        XXHASH3(8),
        XXHASH128(16);

        private final int bytes;

        Algorithm(int bytes) {
            this.bytes = bytes;
        }

        /** Returns the length of the raw checksum in bytes. */
        public int bytes() {
            return bytes;
        }
    }

    /** The scope of a checksum: the whole object, or the checksums of its parts. */
    public enum Type {
        FULL_OBJECT,
        COMPOSITE
    }
}
