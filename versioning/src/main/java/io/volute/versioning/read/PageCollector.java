package io.volute.versioning.read;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionId;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.KeyWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The page that a listing fills, in the order of keys. Used by one thread. */
public final class PageCollector {
    private final KeyWalk walk;
    private final int max;
    private final List<ObjectVersion> versions = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();

    /** The last key or prefix added, and of a key the number of the version. */
    private Optional<String> lastKey = Optional.empty();

    private Optional<Long> lastNumber = Optional.empty();

    private PageCollector(KeyWalk walk, int max) {
        this.walk = walk;
        this.max = max;
    }

    /** Refuses a page that is too long. */
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

    /** Whether nothing more has room; a page of no entries is empty, and the last. */
    boolean isFull() {
        return versions.size() + prefixes.size() == max;
    }

    /**
     * Adds the common prefix that a key rolls up into; there must be room.
     *
     * @param rowKey without a suffix
     * @return the first row key behind all of that prefix; empty when the key has no such prefix
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
     * @param more whether something had no room
     */
    ObjectPage objects(boolean more) {
        return new ObjectPage(versions, prefixes, more ? lastKey : Optional.empty());
    }

    /**
     * @param more whether something had no room
     */
    VersionPage versions(boolean more) {
        // The number even of a null version: its place is known when it is gone, too.
        return new VersionPage(
                versions,
                prefixes,
                more ? lastKey : Optional.empty(),
                more
                        ? lastNumber.map(number -> VersionId.format(number, false))
                        : Optional.empty());
    }
}
