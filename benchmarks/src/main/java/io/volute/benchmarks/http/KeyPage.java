package io.volute.benchmarks.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A page of a listing.
 *
 * @param next behind which the next one begins; empty on the last
 */
public record KeyPage(int keys, Optional<String> next) {
    /** Keys of a page at most. */
    public static final int KEYS_MAX = 1000;

    private static final String KEY = "<Key>";

    /**
     * Asks a server, with ListObjectsV2.
     *
     * @param after empty: from the beginning; like all keys of digits, letters and slashes only
     */
    public static KeyPage list(SignedConnection connection, String bucket, String after)
            throws IOException {
        connection.path().clear().put("/").put(bucket);
        connection
                .query()
                .clear()
                .put("list-type=2&max-keys=" + KEYS_MAX + "&start-after=")
                .put(after.replace("/", "%2F"));
        int status = connection.send("GET", ByteBuffer.allocate(0));
        String text = connection.contentText();
        if (status != 200) {
            throw new IOException("a listing: status " + status + ", " + text);
        }
        int keys = 0;
        int last = 0;
        for (int key = text.indexOf(KEY); key >= 0; key = text.indexOf(KEY, key + 1)) {
            last = key + KEY.length();
            keys++;
        }
        return new KeyPage(
                keys,
                text.contains("<IsTruncated>true</IsTruncated>")
                        ? Optional.of(text.substring(last, text.indexOf('<', last)))
                        : Optional.empty());
    }
}
