package io.volute.versioning.value;

import java.time.Instant;
import java.util.Optional;

/**
 * A version or delete marker of a key, as visible to S3 clients. Immutable.
 *
 * @param number orders the versions of a key: newer is greater
 * @param nullVersion whether its client-visible id is {@code null}
 * @param latest whether it is the newest of its key
 * @param bytes content length; 0 for a delete marker
 * @param parts number of parts of a multipart upload, 0 for a single PUT
 * @param writtenLater of a version in the past: time of a later write before the state was kept;
 *     empty when the version is exact
 */
public record ObjectVersion(
        ObjectKey key,
        long number,
        boolean nullVersion,
        boolean latest,
        boolean deleteMarker,
        Instant modified,
        String owner,
        long bytes,
        int parts,
        ObjectAttributes attributes,
        Optional<Instant> writtenLater) {

    /** Creates an exact version. */
    public ObjectVersion(
            ObjectKey key,
            long number,
            boolean nullVersion,
            boolean latest,
            boolean deleteMarker,
            Instant modified,
            String owner,
            long bytes,
            int parts,
            ObjectAttributes attributes) {
        this(
                key,
                number,
                nullVersion,
                latest,
                deleteMarker,
                modified,
                owner,
                bytes,
                parts,
                attributes,
                Optional.empty());
    }

    /** Returns the same version as of an instant before its last write. */
    public ObjectVersion writtenLater(Optional<Instant> when) {
        return new ObjectVersion(
                key,
                number,
                nullVersion,
                latest,
                deleteMarker,
                modified,
                owner,
                bytes,
                parts,
                attributes,
                when);
    }

    /** Returns the same version with other attributes. */
    public ObjectVersion with(ObjectAttributes other) {
        return new ObjectVersion(
                key,
                number,
                nullVersion,
                latest,
                deleteMarker,
                modified,
                owner,
                bytes,
                parts,
                other,
                writtenLater);
    }

    /** Returns the version id that clients see. */
    public String versionId() {
        return VersionId.format(number, nullVersion);
    }
}
