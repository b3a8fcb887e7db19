package io.volute.versioning.value;

import java.util.Objects;

/**
 * A pattern of keys, as {@code BUCKET/KEY}. A {@code *} stands for any text, which may be empty or
 * contain slashes.
 *
 * @param text text of the pattern
 */
public record KeyPattern(String text) {
    private static final char ANY = '*';

    public KeyPattern {
        Objects.requireNonNull(text, "text");
    }

    /** Returns whether the pattern matches this key. */
    public boolean matches(BucketName bucket, ObjectKey key) {
        return matches(bucket.value() + "/" + key.value());
    }

    /** Extends the match of the last star while the text after it does not match. */
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
