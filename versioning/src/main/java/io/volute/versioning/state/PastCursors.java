package io.volute.versioning.state;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;

/**
 * Cursors over the four families that hold states of a range of keys, consistent with each other.
 */
public record PastCursors(
        RecordCursor current, RecordCursor removed, RecordCursor versions, RecordCursor history)
        implements CursorSet {

    /**
     * Opens the cursors. A row that moves from {@code current} to another family meanwhile appears
     * twice, which is harmless.
     */
    public static PastCursors open(RecordStore cube, BucketEntry bucket, byte[] from, byte[] to) {
        return bucket.betweenRemovals(
                () ->
                        new PastCursors(
                                cube.scan(CURRENT, from, to),
                                cube.scan(REMOVED, from, to),
                                cube.scan(VERSIONS, from, to),
                                cube.scan(HISTORY, from, to)));
    }

    @Override
    public void close() {
        current.close();
        removed.close();
        versions.close();
        history.close();
    }
}
