package io.volute.versioning.state;

import io.volute.versioning.rows.RowKeys;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The geometry of one listing over encoded row keys: where it begins and ends, and where keys roll
 * up into common prefixes. Works on bytes, so that keys are decoded only when they are returned.
 */
public final class KeyWalk {
    /** Stands for "no common prefix". */
    public static final int NONE = -1;

    private static final int END_MARK_BYTES = 2;

    private final long bucketId;
    private final byte[] prefix;
    private final byte[] delimiter;

    /**
     * @param delimiter empty for none
     */
    public KeyWalk(long bucketId, String prefix, String delimiter) {
        this.bucketId = bucketId;
        this.prefix = RowKeys.prefix(bucketId, utf8(prefix));
        this.delimiter = RowKeys.escape(utf8(delimiter));
    }

    /** The first row key with the prefix. */
    byte[] start() {
        return prefix;
    }

    /** The first row key behind all with the prefix. */
    public byte[] end() {
        return RowKeys.behindPrefix(prefix);
    }

    /**
     * The first row key that is neither of {@code marker} nor before it; of a marker that rolls up
     * into a common prefix, the first behind all of that prefix. An empty marker is the start.
     */
    public byte[] behind(String marker) {
        byte[] key = markerKey(marker);
        if (marker.isEmpty() || Arrays.compareUnsigned(key, prefix) < 0) {
            return prefix;
        }
        int rolled = commonPrefixEnd(key, key.length - END_MARK_BYTES);
        byte[] behind =
                rolled == NONE ? RowKeys.behindPrefix(key) : RowKeys.behindPrefix(key, rolled);
        return Arrays.compareUnsigned(behind, end()) < 0 ? behind : end();
    }

    /** Whether a listing can go on among the versions or uploads of this key. */
    public boolean goesInto(String marker) {
        byte[] key = markerKey(marker);
        return startsWithPrefix(key) && commonPrefixEnd(key, key.length - END_MARK_BYTES) == NONE;
    }

    /** The row key of exactly this object key, without a suffix. */
    public byte[] markerKey(String marker) {
        return RowKeys.keyEnd(RowKeys.prefix(bucketId, utf8(marker)));
    }

    /**
     * Index behind the common prefix that a row key rolls up into, or {@link #NONE}.
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
