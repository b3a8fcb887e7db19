package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.CURRENT;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the current objects of a bucket: one scan of {@code current}. */
final class ObjectListing {
    private final Cube cube;
    private final BucketEntry bucket;
    private final ObjectQuery query;
    private final KeyWalk walk;
    private final List<ObjectVersion> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private String last = "";

    ObjectListing(Cube cube, BucketEntry bucket, ObjectQuery query) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.walk = new KeyWalk(bucket.id(), query.prefix(), query.delimiter());
    }

    ObjectPage page() {
        boolean more = query.max() > 0 && collect();
        return new ObjectPage(objects, prefixes, more ? Optional.of(last) : Optional.empty());
    }

    /** Whether there is more than was asked for. */
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
                if (objects.size() + prefixes.size() == query.max()) {
                    return true;
                }
                byte[] rowKey = cursor.key();
                int keyEnd = RowKeys.objectKeyEnd(rowKey, 0);
                int rolled = walk.commonPrefixEnd(rowKey, keyEnd);
                if (rolled != KeyWalk.NONE) {
                    last = RowKeys.objectKey(rowKey, rolled);
                    prefixes.add(last);
                    on = cursor.seek(RowKeys.behindPrefix(rowKey, rolled));
                } else {
                    last = RowKeys.objectKey(rowKey, keyEnd);
                    objects.add(
                            ObjectRow.decode(summary)
                                    .listed(new ObjectKey(last), true, bucket.owner()));
                    on = cursor.next();
                }
            }
        }
        return false;
    }
}
