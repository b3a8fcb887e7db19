package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainIdentity;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The names of all buckets with chains, including deleted buckets, by bucket id. Not thread-safe.
 */
public record BucketNames(RecordStore cube, TreeMap<Long, String> names) {
    private static final byte[] NOTHING = {};

    public static BucketNames read(RecordStore cube) {
        TreeMap<Long, String> names = new TreeMap<>();
        try (RecordCursor cursor = cube.scan(CHAIN_BUCKETS, NOTHING, NOTHING)) {
            while (cursor.next()) {
                names.put(RowKeys.bucketId(cursor.key()), name(cursor.record()));
            }
        }
        return new BucketNames(cube, names);
    }

    private static String name(StoredRecord record) {
        return new String(record.summary(), StandardCharsets.UTF_8);
    }

    /** Returns the name of a bucket that was created after the names were read. */
    private Optional<String> name(long bucketId) {
        return cube.get(CHAIN_BUCKETS, RowKeys.number(bucketId)).map(BucketNames::name);
    }

    /**
     * Returns the ids of the buckets that had this name, ascending.
     *
     * @throws StoreException NO_SUCH_BUCKET when there is none
     */
    public List<Long> ids(BucketName bucket) {
        List<Long> ids =
                names.entrySet().stream()
                        .filter(each -> each.getValue().equals(bucket.value()))
                        .map(Map.Entry::getKey)
                        .toList();
        if (ids.isEmpty()) {
            throw new StoreException(
                    Reason.NO_SUCH_BUCKET,
                    "no bucket " + bucket.value() + " has or had a signed history");
        }
        return ids;
    }

    /**
     * Returns the identity of a chain. If the name was removed from the disk, the chain gets a
     * substitute name and fails its audit.
     *
     * @param base common beginning of the keys of its rows
     */
    public ChainIdentity identity(Bytes storeId, byte[] base) {
        long bucketId = RowKeys.bucketId(base);
        String name = names.computeIfAbsent(bucketId, id -> name(id).orElse("bucket-" + id));
        return new ChainIdentity(storeId, bucketId, name, Bytes.of(RowKeys.objectKey(base).utf8()));
    }
}
