package io.volute.versioning;

import java.time.Instant;

/**
 * A version or delete marker of a key, as visible to S3 clients.
 *
 * @param number orders the versions of a key: newer is greater
 * @param nullVersion its client-visible id is {@code null}
 * @param latest it is the newest of its key
 * @param bytes content length; 0 for a delete marker
 * @param parts number of parts of a multipart upload, 0 for a single PUT
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
        ObjectAttributes attributes) {

    /** The version id a client sees. */
    public String versionId() {
        return VersionId.format(number, nullVersion);
    }
}
