package io.volute.versioning;

import java.util.Objects;

/**
 * Names keys, as {@code BUCKET/KEY}. A {@code *} stands for any text, empty or with slashes.
 *
 * @param text as it is written
 */
public record KeyPattern(String text) {
    private static final char ANY = '*';

    public KeyPattern {
        Objects.requireNonNull(text, "text");
    }

    /** Whether it names this key. */
    public boolean matches(BucketName bucket, ObjectKey key) {
        return matches(bucket.value() + "/" + key.value());
    }

    /** What the last star stood for grows as long as what follows it does not fit. */
    private boolean matches(String name) {
        int at = 0;
        int in = 0;
        int star = -1;
        int behindStar = 0;
        while (in < name.length()) {
            if (at < text.length() && text.charAt(at) == ANY) {
                star = at++;
                behindStar = in;
            } else if (at < text.length() && text.charAt(at) == name.charAt(in)) {
                at++;
                in++;
            } else if (star >= 0) {
                at = star + 1;
                in = ++behindStar;
            } else {
                return false;
            }
        }
        while (at < text.length() && text.charAt(at) == ANY) {
            at++;
        }
        return at == text.length();
    }
}
