package io.volute.versioning.read;

import static io.volute.versioning.rows.Families.CURRENT;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyWalk;
import java.util.Optional;

/** Lists the current objects of a bucket with one scan of {@code current}. Used once. */
public final class ObjectListing {
    private final RecordStore cube;
    private final BucketEntry bucket;
    private final ObjectQuery query;
    private final KeyWalk walk;
    private final PageCollector page;

    public ObjectListing(RecordStore cube, BucketEntry bucket, ObjectQuery query) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.walk = new KeyWalk(bucket, query.prefix(), query.delimiter());
        this.page = PageCollector.of(walk, query);
    }

    public ObjectPage page() {
        return page.objects(query.max() > 0 && collect());
    }

    /** Fills the page; returns whether more entries follow. */
    private boolean collect() {
        byte[] from = walk.behind(query.after());
        try (RecordCursor cursor = cube.scan(CURRENT, from, walk.end())) {
            boolean on = cursor.next();
            while (on) {
                byte[] summary = cursor.record().summary();
                if (ObjectRow.isDeleteMarker(summary)) {
                    on = cursor.next();
                    continue;
                }
                if (page.isFull()) {
                    return true;
                }
                byte[] rowKey = cursor.key();
                Optional<byte[]> behindPrefix = page.rollUp(rowKey);
                if (behindPrefix.isPresent()) {
                    on = cursor.seek(behindPrefix.get());
                } else {
                    page.add(
                            ObjectRow.decode(summary)
                                    .listed(RowKeys.objectKey(rowKey), true, bucket.owner()));
                    on = cursor.next();
                }
            }
        }
        return false;
    }
}
