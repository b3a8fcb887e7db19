package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainIdentity;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.BucketName;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.RowKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Names of all buckets that have chains, those that are gone included, by bucket id. */
record BucketNames(TreeMap<Long, String> names) {
    private static final byte[] NOTHING = {};

    static BucketNames read(Cube cube) {
        TreeMap<Long, String> names = new TreeMap<>();
        try (RecordCursor cursor = cube.scan(CHAIN_BUCKETS, NOTHING, NOTHING)) {
            while (cursor.next()) {
                String name = new String(cursor.record().summary(), StandardCharsets.UTF_8);
                names.put(RowKeys.bucketId(cursor.key()), name);
            }
        }
        return new BucketNames(names);
    }

    /**
     * Ids of the buckets that had this name, ascending.
     *
     * @throws StoreException NO_SUCH_BUCKET when there is none
     */
    List<Long> ids(BucketName bucket) {
        List<Long> ids =
                names.entrySet().stream()
                        .filter(each -> each.getValue().equals(bucket.value()))
                        .map(Map.Entry::getKey)
                        .toList();
        if (ids.isEmpty()) {
            throw new StoreException(
                    Reason.NO_SUCH_BUCKET,
                    "no chain is of a bucket " + bucket.value() + ", now or before");
        }
        return ids;
    }

    /**
     * Whose history a chain is. Who takes the name away does not take the chain away: it does not
     * fit any more.
     *
     * @param base what the keys of its rows begin with
     */
    ChainIdentity identity(Bytes storeId, byte[] base) {
        long bucketId = RowKeys.bucketId(base);
        return new ChainIdentity(
                storeId,
                bucketId,
                names.getOrDefault(bucketId, "bucket-" + bucketId),
                Bytes.of(RowKeys.objectKey(base).utf8()));
    }
}
