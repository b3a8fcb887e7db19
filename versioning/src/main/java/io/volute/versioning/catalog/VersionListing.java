package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.VersionId;
import io.volute.versioning.VersionSelector;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Lists the versions of a bucket: {@code current} gives the keys and their newest state, {@code
 * versions} what is behind it.
 */
final class VersionListing {
    private static final byte[] NO_KEY = {};

    private final Cube cube;
    private final BucketEntry bucket;
    private final VersionQuery query;
    private final KeyWalk walk;
    private final List<ObjectVersion> versions = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();

    /** Where the cursor over the noncurrent versions stands; empty behind the last. */
    private byte[] behindKey = NO_KEY;

    private Optional<String> nextKey = Optional.empty();
    private Optional<String> nextVersionId = Optional.empty();

    VersionListing(Cube cube, BucketEntry bucket, VersionQuery query) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.walk = new KeyWalk(bucket.id(), query.prefix(), query.delimiter());
    }

    /**
     * Where to begin.
     *
     * @param firstKey row key in {@code current} to begin at
     * @param below of that first key, only versions with smaller numbers are wanted
     */
    private record Start(byte[] firstKey, long below) {}

    VersionPage page() {
        if (query.versionMarker().isPresent() && query.keyMarker().isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT, "a version id marker needs a key marker");
        }
        if (query.max() == 0) {
            return new VersionPage(versions, prefixes, Optional.empty(), Optional.empty());
        }
        Start start = start();
        boolean more = collect(start);
        return more
                ? new VersionPage(versions, prefixes, nextKey, nextVersionId)
                : new VersionPage(versions, prefixes, Optional.empty(), Optional.empty());
    }

    private Start start() {
        Start behindKey = new Start(walk.behind(query.keyMarker()), Long.MAX_VALUE);
        if (query.versionMarker().isEmpty() || !walk.goesInto(query.keyMarker())) {
            return behindKey;
        }
        byte[] rowKey = walk.markerKey(query.keyMarker());
        return switch (query.versionMarker().get()) {
            case VersionSelector.Latest latest -> behindKey;
            case VersionSelector.Numbered numbered -> new Start(rowKey, numbered.number());
            case VersionSelector.NullVersion nullVersion -> new Start(rowKey, nullNumber(rowKey));
        };
    }

    /** Where the null version of a key is; when it has none, above all its versions. */
    private long nullNumber(byte[] currentKey) {
        return cube.get(CURRENT, currentKey)
                .map(record -> ObjectRow.decode(record.summary()))
                .map(row -> row.nullVersion() ? row.number() : row.nullBehind())
                .filter(number -> number != 0)
                .orElse(Long.MAX_VALUE);
    }

    /** Two cursors that show the same state of the bucket. */
    private record Cursors(RecordCursor current, RecordCursor behind) implements CursorSet {
        @Override
        public void close() {
            current.close();
            behind.close();
        }
    }

    /** What moves from {@code current} to {@code versions} in between is told by its number. */
    private Cursors open(byte[] from) {
        return bucket.betweenRemovals(
                () ->
                        new Cursors(
                                cube.scan(CURRENT, from, walk.end()),
                                cube.scan(VERSIONS, from, walk.end())));
    }

    private boolean collect(Start start) {
        try (Cursors cursors = open(start.firstKey())) {
            RecordCursor current = cursors.current();
            behindKey = cursors.behind().next() ? cursors.behind().key() : NO_KEY;
            boolean on = current.next();
            while (on) {
                byte[] rowKey = current.key();
                int keyEnd = RowKeys.objectKeyEnd(rowKey, 0);
                int rolled = walk.commonPrefixEnd(rowKey, keyEnd);
                if (rolled != KeyWalk.NONE) {
                    if (isFull()) {
                        return true;
                    }
                    String prefix = RowKeys.objectKey(rowKey, rolled);
                    prefixes.add(prefix);
                    nextKey = Optional.of(prefix);
                    nextVersionId = Optional.empty();
                    on = current.seek(RowKeys.behindPrefix(rowKey, rolled));
                } else {
                    boolean first = Arrays.equals(rowKey, start.firstKey());
                    long below = first ? start.below() : Long.MAX_VALUE;
                    if (collectKey(cursors, rowKey, keyEnd, below)) {
                        return true;
                    }
                    on = current.next();
                }
            }
        }
        return false;
    }

    /** Adds the versions of one key; true when there is no room for all. */
    private boolean collectKey(Cursors cursors, byte[] rowKey, int keyEnd, long below) {
        ObjectKey key = new ObjectKey(RowKeys.objectKey(rowKey, keyEnd));
        ObjectRow newest = ObjectRow.decode(cursors.current().record().summary());
        if (newest.number() < below) {
            if (isFull()) {
                return true;
            }
            add(newest, key, true);
        }
        // Numbers at or above the newest one are of writes behind the snapshot of current.
        byte[] first = RowKeys.versionIn(rowKey, Math.min(below, newest.number()) - 1);
        RecordCursor behind = cursors.behind();
        if (behindKey.length > 0 && Arrays.compareUnsigned(behindKey, first) < 0) {
            behindKey = behind.seek(first) ? behind.key() : NO_KEY;
        }
        while (startsWith(behindKey, rowKey)) {
            if (isFull()) {
                return true;
            }
            add(ObjectRow.decode(behind.record().summary()), key, false);
            behindKey = behind.next() ? behind.key() : NO_KEY;
        }
        return false;
    }

    private void add(ObjectRow row, ObjectKey key, boolean latest) {
        versions.add(row.listed(key, latest, bucket.owner()));
        nextKey = Optional.of(key.value());
        // The number even of a null version: its place is known when it is gone, too.
        nextVersionId = Optional.of(VersionId.format(row.number(), false));
    }

    private boolean isFull() {
        return versions.size() + prefixes.size() == query.max();
    }

    private static boolean startsWith(byte[] rowKey, byte[] start) {
        return rowKey.length == start.length + RowKeys.NUMBER_BYTES
                && Arrays.equals(rowKey, 0, start.length, start, 0, start.length);
    }
}
