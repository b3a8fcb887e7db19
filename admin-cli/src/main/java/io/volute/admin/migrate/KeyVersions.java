package io.volute.admin.migrate;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A key with its versions, the oldest first. */
record KeyVersions(String key, List<StoredVersion> versions) {

    /** Compares keys in the order of listings: by the bytes of their UTF-8. */
    static int compare(String one, String other) {
        return Arrays.compareUnsigned(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether these versions are the first ones of another list. */
    boolean isStartOf(KeyVersions other) {
        if (versions.size() > other.versions.size()) {
            return false;
        }
        for (int i = 0; i < versions.size(); i++) {
            if (!versions.get(i).isLike(other.versions.get(i))) {
                return false;
            }
        }
        return true;
    }
}
