package io.volute.versioning.rows;

import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The record keys. Numbers are 8 bytes big-endian. In an object key the byte 0x00 becomes 0x00
 * 0xFF, and 0x00 0x01 ends it. So encoded keys have the bytewise order of the keys, a key sorts
 * before its extensions, and a suffix does not change that.
 */
public final class RowKeys {
    /** Length of a bucket id, version number or upload number. */
    public static final int NUMBER_BYTES = Long.BYTES;

    private static final byte ZERO = 0;
    private static final byte ESCAPED_ZERO = (byte) 0xFF;
    private static final byte END = 1;
    private static final byte HORIZON = (byte) 0xFF;
    private static final byte CLOCK = 1;
    private static final int END_BYTES = 2;

    private RowKeys() {}

    public static byte[] bucket(BucketName name) {
        return name.value().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the smallest key of a bucket in {@code current}, {@code versions} and {@code
     * uploads}.
     */
    public static byte[] bucketStart(long bucketId) {
        return number(bucketId);
    }

    /** Returns the smallest row key of the keys of a bucket that are in a range. */
    public static byte[] start(long bucketId, KeyRange range) {
        return range.first()
                .map(key -> current(bucketId, key))
                .orElseGet(() -> bucketStart(bucketId));
    }

    /** Returns the first row key behind the keys of a bucket that are in a range. */
    public static byte[] end(long bucketId, KeyRange range) {
        return range.end()
                .map(key -> current(bucketId, key))
                .orElseGet(() -> behindPrefix(bucketStart(bucketId)));
    }

    /** Returns the bucket id at the beginning of a row key. */
    public static long bucketId(byte[] rowKey) {
        return ByteBuffer.wrap(rowKey).getLong();
    }

    public static byte[] current(long bucketId, ObjectKey key) {
        return keyEnd(prefix(bucketId, key.utf8()));
    }

    public static byte[] version(long bucketId, ObjectKey key, long number) {
        return append(current(bucketId, key), ~number);
    }

    /** Returns the {@code versions} key of a version, from the {@code current} key. */
    public static byte[] versionIn(byte[] currentKey, long number) {
        return append(currentKey, ~number);
    }

    /** Returns the {@code history} key of a state. */
    public static byte[] history(long bucketId, ObjectKey key, long began) {
        return append(current(bucketId, key), ~began);
    }

    /**
     * Returns the {@code removed} key of the store's history horizon, behind those of all buckets.
     */
    public static byte[] historyHorizon() {
        return new byte[] {HORIZON};
    }

    /** Returns the {@code removed} key of a bucket's history horizon. */
    public static byte[] historyHorizon(long bucketId) {
        return append(historyHorizon(), bucketId);
    }

    /** Returns the {@code removed} key of the store's resolution. */
    public static byte[] resolution() {
        return new byte[] {HORIZON, ZERO};
    }

    /** Returns the {@code removed} key of the stretches in which commits depart from the clock. */
    public static byte[] clock() {
        return new byte[] {HORIZON, CLOCK};
    }

    /**
     * Returns whether a {@code removed} row belongs to an object key, and is no mark. A bucket id
     * does not begin with 0xFF.
     */
    public static boolean isOfKey(byte[] removedKey) {
        return removedKey.length >= NUMBER_BYTES + END_BYTES && removedKey[0] != HORIZON;
    }

    /** Returns the {@code bucket-history} key of a state of a bucket. */
    public static byte[] bucketHistory(BucketName name, long began) {
        byte[] utf8 = bucket(name);
        return append(Arrays.copyOf(utf8, utf8.length + 1), ~began);
    }

    /** Returns the bucket name of a {@code bucket-history} key. */
    public static BucketName bucketOfHistory(byte[] rowKey) {
        int length = rowKey.length - 1 - NUMBER_BYTES;
        return new BucketName(new String(rowKey, 0, length, StandardCharsets.UTF_8));
    }

    /** Returns the complement of the last 8 bytes: a version number, or the begin of a state. */
    public static long suffix(byte[] rowKey) {
        return ~ByteBuffer.wrap(rowKey).getLong(rowKey.length - NUMBER_BYTES);
    }

    /** Returns the key of an entry in the chain of an object key. */
    public static byte[] entry(long bucketId, ObjectKey key, long sequence) {
        return append(current(bucketId, key), sequence);
    }

    public static byte[] upload(long bucketId, ObjectKey key, long number) {
        return append(current(bucketId, key), number);
    }

    public static byte[] partsOf(long uploadNumber) {
        return number(uploadNumber);
    }

    public static byte[] part(long uploadNumber, int part) {
        return ByteBuffer.allocate(NUMBER_BYTES + Short.BYTES)
                .putLong(uploadNumber)
                .putShort((short) part)
                .array();
    }

    /** Returns the common beginning of the row keys of all object keys with this prefix. */
    public static byte[] prefix(long bucketId, byte[] utf8) {
        byte[] escaped = escape(utf8);
        return ByteBuffer.allocate(NUMBER_BYTES + escaped.length)
                .putLong(bucketId)
                .put(escaped)
                .array();
    }

    /** Returns the row key of exactly the object key whose {@link #prefix} this is. */
    public static byte[] keyEnd(byte[] prefix) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + END_BYTES);
        key[key.length - 1] = END;
        return key;
    }

    /** Returns the first key behind all keys with this beginning; empty when there is none. */
    public static byte[] behindPrefix(byte[] prefix, int length) {
        int last = length - 1;
        while (last >= 0 && prefix[last] == (byte) 0xFF) {
            last--;
        }
        byte[] behind = Arrays.copyOf(prefix, last + 1);
        if (last >= 0) {
            behind[last]++;
        }
        return behind;
    }

    public static byte[] behindPrefix(byte[] prefix) {
        return behindPrefix(prefix, prefix.length);
    }

    /**
     * Returns the index of the first byte behind the escaped object key, its end mark not included.
     */
    public static int objectKeyEnd(byte[] rowKey, int suffixBytes) {
        return rowKey.length - suffixBytes - END_BYTES;
    }

    /** Returns the object key of a row key without a suffix. */
    public static ObjectKey objectKey(byte[] rowKey) {
        return new ObjectKey(objectKey(rowKey, objectKeyEnd(rowKey, 0)));
    }

    /** Returns the text between the bucket id and {@code end}. */
    public static String objectKey(byte[] rowKey, int end) {
        for (int i = NUMBER_BYTES; i < end; i++) {
            if (rowKey[i] == ZERO) {
                return new String(unescape(rowKey, end), StandardCharsets.UTF_8);
            }
        }
        return new String(rowKey, NUMBER_BYTES, end - NUMBER_BYTES, StandardCharsets.UTF_8);
    }

    /** Returns the number in the last 8 bytes: of an upload, of an entry, of a batch. */
    public static long lastNumber(byte[] rowKey) {
        return ByteBuffer.wrap(rowKey).getLong(rowKey.length - NUMBER_BYTES);
    }

    /** Escapes zero bytes as in row keys. */
    public static byte[] escape(byte[] utf8) {
        int zeros = 0;
        for (byte value : utf8) {
            zeros += value == ZERO ? 1 : 0;
        }
        if (zeros == 0) {
            return utf8;
        }
        ByteBuffer escaped = ByteBuffer.allocate(utf8.length + zeros);
        for (byte value : utf8) {
            escaped.put(value);
            if (value == ZERO) {
                escaped.put(ESCAPED_ZERO);
            }
        }
        return escaped.array();
    }

    private static byte[] unescape(byte[] rowKey, int end) {
        ByteBuffer plain = ByteBuffer.allocate(end - NUMBER_BYTES);
        for (int i = NUMBER_BYTES; i < end; i++) {
            plain.put(rowKey[i]);
            if (rowKey[i] == ZERO) {
                i++;
            }
        }
        return Arrays.copyOf(plain.array(), plain.position());
    }

    /** Returns the key of an actor, or of a row of events. */
    public static byte[] number(long value) {
        return ByteBuffer.allocate(NUMBER_BYTES).putLong(value).array();
    }

    /** Returns the key of the blocks of a run of events, by the number of its last row. */
    public static byte[] eventRun(long last) {
        return ByteBuffer.allocate(1 + NUMBER_BYTES).put((byte) 0).putLong(last).array();
    }

    /** Returns the key of one slice of the postings of a run of events. */
    public static byte[] eventPostings(long last, int slice) {
        return ByteBuffer.allocate(2 + NUMBER_BYTES)
                .put((byte) 1)
                .putLong(last)
                .put((byte) slice)
                .array();
    }

    private static byte[] append(byte[] key, long number) {
        return ByteBuffer.allocate(key.length + NUMBER_BYTES).put(key).putLong(number).array();
    }
}
