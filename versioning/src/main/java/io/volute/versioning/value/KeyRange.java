package io.volute.versioning.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A range of object keys in bytewise order of their UTF-8.
 *
 * @param first first key of the range; empty for the beginning
 * @param end first key behind the range; empty when there is none
 */
public record KeyRange(Optional<ObjectKey> first, Optional<ObjectKey> end) {
    /** The range of all keys. */
    public static final KeyRange ALL = new KeyRange(Optional.empty(), Optional.empty());

    public KeyRange {
        if (first.isPresent() && end.isPresent() && first.get().compareTo(end.get()) >= 0) {
            throw new IllegalArgumentException("a range of keys ends before it begins");
        }
    }

    public boolean contains(ObjectKey key) {
        return first.filter(each -> key.compareTo(each) < 0).isEmpty() && isBeforeEnd(key.value());
    }

    /** Returns whether a text, which may be empty, sorts before the end. */
    public boolean isBeforeEnd(String text) {
        return end.filter(each -> compare(text, each) >= 0).isEmpty();
    }

    /** Returns whether a key with this prefix may be in the range. */
    public boolean meets(String prefix) {
        boolean isBehind =
                first.filter(each -> compare(prefix, each) < 0 && !each.value().startsWith(prefix))
                        .isPresent();
        return !isBehind && isBeforeEnd(prefix);
    }

    private static int compare(String text, ObjectKey key) {
        return Arrays.compareUnsigned(text.getBytes(StandardCharsets.UTF_8), key.utf8());
    }

    /** Returns the entries of a map whose keys are in the range, in a map of their own. */
    public <V> NavigableMap<ObjectKey, V> of(NavigableMap<ObjectKey, V> map) {
        NavigableMap<ObjectKey, V> from = first.isPresent() ? map.tailMap(first.get(), true) : map;
        return new TreeMap<>(end.isPresent() ? from.headMap(end.get(), false) : from);
    }
}
