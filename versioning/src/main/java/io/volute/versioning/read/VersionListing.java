package io.volute.versioning.read;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.CursorSet;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.Arrays;
import java.util.Optional;

/**
 * Lists the versions of a bucket. {@code current} has the keys and their newest states, {@code
 * versions} the noncurrent ones. Used once.
 */
public final class VersionListing {
    private static final byte[] NO_KEY = {};

    private final RecordStore cube;
    private final BucketEntry bucket;
    private final VersionQuery query;
    private final KeyWalk walk;
    private final PageCollector page;

    /** The key of the cursor over the noncurrent versions; empty behind the last. */
    private byte[] behindKey = NO_KEY;

    public VersionListing(RecordStore cube, BucketEntry bucket, VersionQuery query) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.walk = new KeyWalk(bucket, query.prefix(), query.delimiter());
        this.page = PageCollector.of(walk, query);
    }

    /**
     * The start of a listing.
     *
     * @param firstKey row key in {@code current} to begin at
     * @param below exclusive upper bound of version numbers, for that first key only
     */
    private record Start(byte[] firstKey, long below) {}

    public VersionPage page() {
        return page.versions(query.max() > 0 && collect(start()));
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

    /** Returns the number of a key's null version; {@code Long.MAX_VALUE} when it has none. */
    private long nullNumber(byte[] currentKey) {
        return cube.get(CURRENT, currentKey)
                .map(record -> ObjectRow.decode(record.summary()))
                .map(row -> row.nullVersion() ? row.number() : row.nullBehind())
                .filter(number -> number != 0)
                .orElse(Long.MAX_VALUE);
    }

    /** Two cursors that are consistent with each other. */
    private record Cursors(RecordCursor current, RecordCursor behind) implements CursorSet {
        @Override
        public void close() {
            current.close();
            behind.close();
        }
    }

    /**
     * Opens the cursors. The number of a version shows whether it moved from {@code current} to
     * {@code versions} meanwhile.
     */
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
                if (page.isFull()) {
                    return true;
                }
                byte[] rowKey = current.key();
                Optional<byte[]> behindPrefix = page.rollUp(rowKey);
                if (behindPrefix.isPresent()) {
                    on = current.seek(behindPrefix.get());
                } else {
                    boolean first = Arrays.equals(rowKey, start.firstKey());
                    long below = first ? start.below() : Long.MAX_VALUE;
                    if (collectKey(cursors, rowKey, below)) {
                        return true;
                    }
                    on = current.next();
                }
            }
        }
        return false;
    }

    /** Adds the versions of one key to a page with room; returns whether some had none. */
    private boolean collectKey(Cursors cursors, byte[] rowKey, long below) {
        ObjectKey key = RowKeys.objectKey(rowKey);
        ObjectRow newest = ObjectRow.decode(cursors.current().record().summary());
        if (newest.number() < below) {
            add(newest, key, true);
        }
        // Numbers at or above the newest one belong to writes after the snapshot of current.
        byte[] first = RowKeys.versionIn(rowKey, Math.min(below, newest.number()) - 1);
        RecordCursor behind = cursors.behind();
        if (behindKey.length > 0 && Arrays.compareUnsigned(behindKey, first) < 0) {
            behindKey = behind.seek(first) ? behind.key() : NO_KEY;
        }
        while (startsWith(behindKey, rowKey)) {
            if (page.isFull()) {
                return true;
            }
            add(ObjectRow.decode(behind.record().summary()), key, false);
            behindKey = behind.next() ? behind.key() : NO_KEY;
        }
        return false;
    }

    private void add(ObjectRow row, ObjectKey key, boolean latest) {
        page.add(row.listed(key, latest, bucket.owner()));
    }

    private static boolean startsWith(byte[] rowKey, byte[] start) {
        return rowKey.length == start.length + RowKeys.NUMBER_BYTES
                && Arrays.equals(rowKey, 0, start.length, start, 0, start.length);
    }
}
