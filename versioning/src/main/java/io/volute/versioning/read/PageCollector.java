package io.volute.versioning.read;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The page of a listing while it is filled, in key order. Not thread-safe. */
public final class PageCollector {
    private final KeyWalk walk;
    private final int max;
    private final List<ObjectVersion> versions = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();

    /** The last key or prefix added; for a key, {@code lastNumber} is the number of the version. */
    private Optional<String> lastKey = Optional.empty();

    private Optional<Long> lastNumber = Optional.empty();

    private PageCollector(KeyWalk walk, int max) {
        this.walk = walk;
        this.max = max;
    }

    /** Refuses an invalid page size. */
    public static void require(int max) {
        if (max < 0 || max > StoreOptions.Limits.PAGE_ENTRIES_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "page of " + max + " entries; 0 to " + StoreOptions.Limits.PAGE_ENTRIES_MAX);
        }
    }

    static PageCollector of(KeyWalk walk, ObjectQuery query) {
        return new PageCollector(walk, query.max());
    }

    static PageCollector of(KeyWalk walk, VersionQuery query) {
        if (query.versionMarker().isPresent() && query.keyMarker().isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT, "a version id marker needs a key marker");
        }
        return new PageCollector(walk, query.max());
    }

    /**
     * Returns whether the page has no room for another entry. A page of size 0 is full from the
     * start.
     */
    boolean isFull() {
        return versions.size() + prefixes.size() == max;
    }

    /**
     * Adds the common prefix that a key rolls up into; there must be room.
     *
     * @param rowKey without a suffix
     * @return the first row key behind all keys of that prefix; empty when the key has no such
     *     prefix
     */
    Optional<byte[]> rollUp(byte[] rowKey) {
        int end = walk.commonPrefixEnd(rowKey, RowKeys.objectKeyEnd(rowKey, 0));
        if (end == KeyWalk.NONE) {
            return Optional.empty();
        }
        String prefix = RowKeys.objectKey(rowKey, end);
        prefixes.add(prefix);
        lastKey = Optional.of(prefix);
        lastNumber = Optional.empty();
        return Optional.of(RowKeys.behindPrefix(rowKey, end));
    }

    /** Adds a version; there must be room. */
    void add(ObjectVersion version) {
        versions.add(version);
        lastKey = Optional.of(version.key().value());
        lastNumber = Optional.of(version.number());
    }

    /**
     * Returns the finished page.
     *
     * @param more whether entries were left out
     */
    ObjectPage objects(boolean more) {
        return new ObjectPage(versions, prefixes, more ? lastKey : Optional.empty());
    }

    /**
     * Returns the finished page.
     *
     * @param more whether entries were left out
     */
    VersionPage versions(boolean more) {
        // The number also of a null version: it marks the place even after the version is gone.
        return new VersionPage(
                versions,
                prefixes,
                more ? lastKey : Optional.empty(),
                more
                        ? lastNumber.map(number -> VersionId.format(number, false))
                        : Optional.empty());
    }
}
