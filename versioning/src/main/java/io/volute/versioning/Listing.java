package io.volute.versioning;

import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The queries and results of listings, in bytewise key order. Empty strings mean "not given". The
 * versions in a page have their ETag and checksum, but no headers, user metadata and tags.
 *
 * <p>A marker that contains the delimiter behind the prefix stands for its common prefix: keys that
 * roll up into it are not returned again.
 */
public final class Listing {
    private Listing() {}

    /**
     * A query for current objects.
     *
     * @param after keys and common prefixes up to and including this are left out
     * @param max entries (objects and common prefixes together), 0 to 1000
     */
    public record ObjectQuery(String prefix, String delimiter, String after, int max) {}

    /**
     * A page of current objects.
     *
     * @param prefixes common prefixes, in order
     * @param next the last key or common prefix returned, when there is more
     */
    public record ObjectPage(
            List<ObjectVersion> objects, List<String> prefixes, Optional<String> next) {}

    /**
     * A query for versions.
     *
     * @param versionMarker version of the key marker to begin behind; needs the key marker
     */
    public record VersionQuery(
            String prefix,
            String delimiter,
            String keyMarker,
            Optional<VersionSelector> versionMarker,
            int max) {}

    /**
     * A page of versions.
     *
     * @param nextKey key marker for the next page, when there is more
     * @param nextVersionId version marker for the next page; empty behind a common prefix. It names
     *     even a null version by number, so that the next page begins at the right place if that
     *     version is removed
     */
    public record VersionPage(
            List<ObjectVersion> versions,
            List<String> prefixes,
            Optional<String> nextKey,
            Optional<String> nextVersionId) {}

    /** A query for uploads in progress. They sort by key, then by initiation. */
    public record UploadQuery(
            String prefix, String delimiter, String keyMarker, String uploadIdMarker, int max) {}

    public record UploadPage(
            List<UploadInfo> uploads,
            List<String> prefixes,
            Optional<String> nextKey,
            Optional<String> nextUploadId) {}

    /**
     * An upload in progress.
     *
     * @param attributes attributes of the future object; the ETag and the checksum's value are
     *     empty
     */
    public record UploadInfo(
            String uploadId,
            ObjectKey key,
            String owner,
            Instant initiated,
            ObjectAttributes attributes) {}

    /** A part of an upload. */
    public record PartInfo(
            int number,
            long bytes,
            String etag,
            Instant modified,
            Optional<ObjectAttributes.Checksum> checksum) {}

    public record PartPage(
            UploadInfo upload, List<PartInfo> parts, Optional<Integer> nextPartNumber) {}
}
