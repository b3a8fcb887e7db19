package io.volute.versioning.state;

import io.volute.versioning.rows.RowKeys;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bounds of one listing over encoded row keys: the first key, the end, and the common prefixes
 * that keys roll up into. Works on bytes, so that only returned keys are decoded. Immutable.
 */
public final class KeyWalk {
    /** The result when there is no common prefix. */
    public static final int NONE = -1;

    private static final int END_MARK_BYTES = 2;

    private final long bucketId;
    private final byte[] prefix;
    private final byte[] delimiter;

    /** The bounds of the bucket's range in this cube. */
    private final byte[] first;

    private final byte[] last;

    /**
     * Creates a walk over the keys of a bucket in its range.
     *
     * @param delimiter empty for none
     */
    public KeyWalk(BucketEntry bucket, String prefix, String delimiter) {
        this.bucketId = bucket.id();
        this.first = RowKeys.start(bucketId, bucket.range());
        this.last = RowKeys.end(bucketId, bucket.range());
        this.prefix = RowKeys.prefix(bucketId, utf8(prefix));
        this.delimiter = RowKeys.escape(utf8(delimiter));
    }

    /** Returns the first row key behind all keys with the prefix that are in this cube. */
    public byte[] end() {
        byte[] end = RowKeys.behindPrefix(prefix);
        return Arrays.compareUnsigned(end, last) < 0 ? end : last;
    }

    /** Returns a row key, or the nearest one within the bounds. */
    private byte[] within(byte[] rowKey) {
        byte[] from = Arrays.compareUnsigned(rowKey, first) < 0 ? first : rowKey;
        byte[] end = end();
        return Arrays.compareUnsigned(from, end) < 0 ? from : end;
    }

    /**
     * Returns the first row key behind all rows of {@code marker}. If the marker rolls up into a
     * common prefix, this is the first key behind that prefix. An empty marker is the start.
     */
    public byte[] behind(String marker) {
        byte[] key = markerKey(marker);
        if (marker.isEmpty() || Arrays.compareUnsigned(key, prefix) < 0) {
            return within(prefix);
        }
        int rolled = commonPrefixEnd(key, key.length - END_MARK_BYTES);
        byte[] behind =
                rolled == NONE ? RowKeys.behindPrefix(key) : RowKeys.behindPrefix(key, rolled);
        return within(behind);
    }

    /** Returns whether a listing can continue among the versions or uploads of this key. */
    public boolean goesInto(String marker) {
        byte[] key = markerKey(marker);
        return startsWithPrefix(key) && commonPrefixEnd(key, key.length - END_MARK_BYTES) == NONE;
    }

    /** Returns the row key of exactly this object key, without a suffix. */
    public byte[] markerKey(String marker) {
        return RowKeys.keyEnd(RowKeys.prefix(bucketId, utf8(marker)));
    }

    /**
     * Returns the index behind the common prefix that a row key rolls up into, or {@link #NONE}.
     *
     * @param keyEnd index behind its escaped object key
     */
    public int commonPrefixEnd(byte[] rowKey, int keyEnd) {
        if (delimiter.length == 0 || !startsWithPrefix(rowKey)) {
            return NONE;
        }
        int last = keyEnd - delimiter.length;
        for (int at = prefix.length; at <= last; at++) {
            if (rowKey[at] == delimiter[0] && isDelimiter(rowKey, at)) {
                return at + delimiter.length;
            }
        }
        return NONE;
    }

    private boolean isDelimiter(byte[] rowKey, int at) {
        return Arrays.equals(rowKey, at, at + delimiter.length, delimiter, 0, delimiter.length);
    }

    private boolean startsWithPrefix(byte[] rowKey) {
        return rowKey.length >= prefix.length
                && Arrays.equals(rowKey, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
