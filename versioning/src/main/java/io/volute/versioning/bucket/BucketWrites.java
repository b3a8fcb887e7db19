package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;
import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.provenance.StoreSettings;
import io.volute.versioning.rows.BucketRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the rows of buckets and keeps their past rows. The caller holds the bucket's lock.
 *
 * @param settings records the hidden fields of buckets; empty without provenance
 */
record BucketWrites(Cube cube, Optional<StoreSettings> settings) {
    private static final byte[] OPEN_END = {};

    /** Commits a change of hidden fields together with the entry that records it. */
    void replaceHidden(BucketInfo changed) throws IOException {
        if (settings.isPresent()) {
            settings.get().recordHidden(changed, recorder -> replace(changed, recorder));
        } else {
            replace(changed);
        }
    }

    /** Commits a change of a bucket. */
    void replace(BucketInfo changed, ChangeListener... listeners) throws IOException {
        WriteBatch batch = new WriteBatch(cube, listeners);
        keepPast(batch, changed.name());
        put(batch, changed);
        batch.commit();
    }

    static void put(WriteBatch batch, BucketInfo info) {
        batch.put(
                BUCKETS,
                RowKeys.bucket(info.name()),
                RecordContent.of(BucketRow.encode(info), List.of()));
    }

    static void keepPast(WriteBatch batch, BucketName name) {
        batch.get(BUCKETS, RowKeys.bucket(name))
                .ifPresent(
                        row ->
                                batch.put(
                                        BUCKET_HISTORY,
                                        RowKeys.bucketHistory(name, row.sequence()),
                                        row));
    }

    /**
     * Removes the past of buckets that were deleted by a sequence and of which no state is kept.
     * The past of a present bucket stays: its visible versions may be arbitrarily old.
     *
     * @param present ids of the present buckets
     */
    void forget(long sequence, Set<Long> present, BucketRows rows) throws IOException {
        WriteBatch batch = new WriteBatch(cube);
        try (RecordCursor cursor = cube.scan(BUCKET_HISTORY, OPEN_END, OPEN_END)) {
            while (cursor.next() && !batch.isFull()) {
                long id = rows.pastId(cursor);
                if (cursor.record().sequence() <= sequence
                        && !present.contains(id)
                        && !rows.hasRows(HISTORY, id)) {
                    batch.delete(BUCKET_HISTORY, cursor.key());
                }
            }
        }
        if (!batch.isEmpty()) {
            batch.commit();
        }
    }
}
