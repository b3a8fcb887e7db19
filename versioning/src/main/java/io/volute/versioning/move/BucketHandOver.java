package io.volute.versioning.move;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.HistoryHorizon;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Moves the rows of a bucket itself: its settings, and those that it had. */
public final class BucketHandOver {
    private BucketHandOver() {}

    /**
     * Adds the rows of a bucket to the target, with its past. The caller excludes the writers in
     * the source.
     *
     * @param range the keys that move
     * @return makes the target serve these keys
     */
    public static Runnable adopt(MoveSide from, MoveSide to, BucketInfo bucket, KeyRange range)
            throws IOException {
        to.watch().adopt(from.watch());
        addPast(from, to, bucket);
        Transaction transaction = new Transaction();
        byte[] key = RowKeys.bucket(bucket.name());
        StoredRecord present =
                from.cube()
                        .get(BUCKETS, key)
                        .orElseThrow(() -> new IOException("no row of " + bucket.name().value()));
        put(from.cube(), BUCKETS, key, present, BUCKETS, key, transaction);
        byte[] past = RowKeys.bucketHistory(bucket.name(), present.sequence());
        put(from.cube(), BUCKETS, key, present, BUCKET_HISTORY, past, transaction);
        raiseHorizon(from, to, bucket.id(), transaction);
        Commits.join(to.cube(), transaction);
        // Requests under way have the bucket as it is in the source, whose rows are removed soon.
        bucket.loadTexts();
        return to.buckets().adoption(bucket.name(), range);
    }

    /** Adds the past rows, one a commit: all together may not fit in one. */
    private static void addPast(MoveSide from, MoveSide to, BucketInfo bucket) throws IOException {
        try (RecordCursor cursor = past(from.cube(), bucket.name())) {
            while (cursor.next()) {
                if (from.buckets().rows().pastId(cursor) == bucket.id()) {
                    Transaction transaction = new Transaction();
                    put(
                            from.cube(),
                            BUCKET_HISTORY,
                            cursor.key(),
                            cursor.record(),
                            BUCKET_HISTORY,
                            cursor.key(),
                            transaction);
                    Commits.join(to.cube(), transaction);
                }
            }
        }
    }

    private static void raiseHorizon(
            MoveSide from, MoveSide to, long bucketId, Transaction transaction) {
        HistoryHorizon.add(
                to.cube(),
                transaction,
                RowKeys.historyHorizon(bucketId),
                HistoryHorizon.upTo(from.cube(), bucketId));
    }

    /**
     * Prepares a part of a bucket in the target for the keys behind it, which are copied. The
     * caller excludes the writers in the source.
     *
     * @param range the keys of the part and those behind it
     * @return makes the target serve all of them
     */
    public static Runnable extend(MoveSide from, MoveSide to, BucketName name, KeyRange range)
            throws IOException {
        to.watch().adopt(from.watch());
        BucketEntry entry = to.buckets().require(name);
        Transaction transaction = new Transaction();
        raiseHorizon(from, to, entry.id(), transaction);
        if (!transaction.changes().isEmpty()) {
            Commits.join(to.cube(), transaction);
        }
        return () -> entry.extend(range);
    }

    private static void put(
            RecordStore from,
            Family family,
            byte[] key,
            StoredRecord record,
            Family target,
            byte[] targetKey,
            Transaction transaction)
            throws IOException {
        byte[] detail = RecordDetails.read(from, family, key, record);
        transaction.put(target, targetKey, record.summary(), detail, List.of());
    }

    private static RecordCursor past(RecordStore cube, BucketName name) {
        byte[] from = RowKeys.bucketHistory(name, Long.MAX_VALUE);
        byte[] prefix = Arrays.copyOf(from, from.length - RowKeys.NUMBER_BYTES);
        return cube.scan(BUCKET_HISTORY, prefix, RowKeys.behindPrefix(prefix));
    }

    /**
     * Removes a bucket from a cube that does not serve it, with its past. Waiting requests get
     * NO_SUCH_BUCKET. Does nothing when the cube does not have the bucket.
     */
    public static void disown(MoveSide side, BucketName name, long bucketId) throws IOException {
        Transaction transaction = new Transaction().makingRoom();
        if (side.buckets().rows().presentId(name).filter(id -> id == bucketId).isPresent()) {
            transaction.delete(BUCKETS, RowKeys.bucket(name));
        }
        try (RecordCursor cursor = past(side.cube(), name)) {
            while (cursor.next()) {
                if (side.buckets().rows().pastId(cursor) == bucketId) {
                    transaction.delete(BUCKET_HISTORY, cursor.key());
                }
            }
        }
        if (!transaction.changes().isEmpty()) {
            Commits.join(side.cube(), transaction);
        }
        side.buckets()
                .entry(name)
                .filter(each -> each.id() == bucketId)
                .ifPresent(side.buckets()::disown);
    }
}
