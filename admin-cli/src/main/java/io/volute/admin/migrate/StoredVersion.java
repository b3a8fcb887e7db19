package io.volute.admin.migrate;

import io.volute.admin.s3.XmlTree;

/**
 * A version or delete marker in a listing.
 *
 * @param id the version id; {@code null} for the version of a bucket without versioning
 * @param etag without quotation marks; empty for a delete marker
 * @param modified as listed, ISO 8601
 */
record StoredVersion(String id, boolean isMarker, String etag, long bytes, String modified) {
    static final String NULL_ID = "null";

    static StoredVersion of(XmlTree listed) {
        boolean isMarker = listed.name().equals("DeleteMarker");
        return new StoredVersion(
                listed.text("VersionId"),
                isMarker,
                listed.text("ETag").replace("\"", ""),
                isMarker ? 0 : Long.parseLong(listed.text("Size")),
                listed.text("LastModified"));
    }

    /** Returns whether the content is the same as that of another version, as far as is listed. */
    boolean isLike(StoredVersion other) {
        return isMarker == other.isMarker && etag.equals(other.etag) && bytes == other.bytes;
    }

    /** Returns the number of parts that the ETag names; 0 for an object that was put at once. */
    int parts() {
        int dash = etag.lastIndexOf('-');
        return dash > 0 && etag.substring(dash + 1).matches("[0-9]{1,5}")
                ? Integer.parseInt(etag.substring(dash + 1))
                : 0;
    }
}
