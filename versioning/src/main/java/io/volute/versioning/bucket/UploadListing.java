package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.UPLOADS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.UploadRow;
import io.volute.versioning.rows.UploadStamp;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.value.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the uploads in progress of a bucket, by key and then by initiation. */
public final class UploadListing {
    private final RecordStore cube;
    private final UploadQuery query;
    private final long bucketId;
    private final KeyWalk walk;
    private final List<UploadInfo> uploads = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private String nextKey = "";
    private Optional<String> nextUploadId = Optional.empty();

    public UploadListing(RecordStore cube, BucketEntry bucket, UploadQuery query) {
        this.cube = cube;
        this.query = query;
        this.bucketId = bucket.id();
        this.walk = new KeyWalk(bucket, query.prefix(), query.delimiter());
    }

    public UploadPage page() {
        boolean more = query.max() > 0 && collect();
        return more
                ? new UploadPage(uploads, prefixes, Optional.of(nextKey), nextUploadId)
                : new UploadPage(uploads, prefixes, Optional.empty(), Optional.empty());
    }

    private byte[] from() {
        if (query.uploadIdMarker().isEmpty()
                || query.keyMarker().isEmpty()
                || !walk.goesInto(query.keyMarker())) {
            return walk.behind(query.keyMarker());
        }
        UploadStamp marker =
                UploadStamp.parse(query.uploadIdMarker())
                        .orElseThrow(
                                () ->
                                        new StoreException(
                                                Reason.INVALID_ARGUMENT,
                                                "no upload can have the id of the marker"));
        return RowKeys.upload(bucketId, new ObjectKey(query.keyMarker()), marker.number() + 1);
    }

    private boolean collect() {
        try (RecordCursor cursor = cube.scan(UPLOADS, from(), walk.end())) {
            boolean on = cursor.next();
            while (on) {
                if (uploads.size() + prefixes.size() == query.max()) {
                    return true;
                }
                byte[] rowKey = cursor.key();
                int keyEnd = RowKeys.objectKeyEnd(rowKey, RowKeys.NUMBER_BYTES);
                int rolled = walk.commonPrefixEnd(rowKey, keyEnd);
                if (rolled != KeyWalk.NONE) {
                    nextKey = RowKeys.objectKey(rowKey, rolled);
                    nextUploadId = Optional.empty();
                    prefixes.add(nextKey);
                    on = cursor.seek(RowKeys.behindPrefix(rowKey, rolled));
                } else {
                    nextKey = RowKeys.objectKey(rowKey, keyEnd);
                    UploadInfo upload =
                            UploadRow.decode(
                                    new ObjectKey(nextKey),
                                    RowKeys.lastNumber(rowKey),
                                    cursor.record().summary());
                    nextUploadId = Optional.of(upload.uploadId());
                    uploads.add(upload);
                    on = cursor.next();
                }
            }
        }
        return false;
    }
}
