package io.volute.versioning;

import java.time.Instant;
import java.util.Optional;

/**
 * A version or delete marker of a key, as visible to S3 clients.
 *
 * @param number orders the versions of a key: newer is greater
 * @param nullVersion its client-visible id is {@code null}
 * @param latest it is the newest of its key
 * @param bytes content length; 0 for a delete marker
 * @param parts number of parts of a multipart upload, 0 for a single PUT
 * @param writtenLater of a version looked at as of some instant: when it was written again behind
 *     that, before it was kept; empty when it is as it was
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

    /** A version as it is. */
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

    /** The same as of an instant before it was written for the last time. */
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

    /** The version id a client sees. */
    public String versionId() {
        return VersionId.format(number, nullVersion);
    }
}
