package io.volute.versioning.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A key: 1 to 1024 bytes of UTF-8, compared bytewise. Has no path meaning. */
public record ObjectKey(String value) implements Comparable<ObjectKey> {
    /** Maximum length in bytes (S3 User Guide, "Naming Amazon S3 objects"). */
    public static final int BYTES_MAX = 1024;

    private static final int UTF8_BYTES_PER_CHAR_MAX = 3;

    public ObjectKey {
        if (value.isEmpty() || value.length() * UTF8_BYTES_PER_CHAR_MAX > BYTES_MAX) {
            checkBytes(value);
        }
    }

    private static void checkBytes(String value) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("key of " + bytes + " bytes; 1 to " + BYTES_MAX);
        }
    }

    public byte[] utf8() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(ObjectKey other) {
        return Arrays.compareUnsigned(utf8(), other.utf8());
    }
}
