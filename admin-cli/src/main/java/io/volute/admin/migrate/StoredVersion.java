package io.volute.admin.migrate;

import io.volute.admin.s3.XmlTree;
import java.io.IOException;

/**
 * A version or delete marker in a listing.
 *
 * @param id the version id; {@code null} for the version of a bucket without versioning
 * @param etag without quotation marks; empty for a delete marker
 * @param modified as listed, ISO 8601
 */
record StoredVersion(String id, boolean isMarker, String etag, long bytes, String modified) {
    static final String NULL_ID = "null";

    /** Values become headers and paths at the target, which take no other characters. */
    private static final String PLAIN = "[!-~]{0,1024}";

    /**
     * Reads an element of a listing.
     *
     * @throws IOException if a value is malformed; the message has nothing of it
     */
    static StoredVersion of(XmlTree listed) throws IOException {
        boolean isMarker = listed.name().equals("DeleteMarker");
        String size = isMarker ? "0" : listed.text("Size");
        if (!size.matches("[0-9]{1,18}")) {
            throw new IOException("a version in the listing has no size");
        }
        return new StoredVersion(
                plain(listed, "VersionId"),
                isMarker,
                plain(listed, "ETag").replace("\"", ""),
                Long.parseLong(size),
                plain(listed, "LastModified"));
    }

    private static String plain(XmlTree listed, String name) throws IOException {
        String value = listed.text(name);
        if (!value.matches(PLAIN)) {
            throw new IOException(
                    "a "
                            + name
                            + " in the listing has characters beyond printable ASCII, or more"
                            + " than 1024");
        }
        return value;
    }

    /** Returns about the heap that the version needs. */
    long heapBytes() {
        return 200L + id.length() + etag.length() + modified.length();
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
