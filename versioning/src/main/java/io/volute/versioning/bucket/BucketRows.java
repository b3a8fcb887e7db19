package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.BucketRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Reads the present and past rows of buckets. Thread-safe. */
public final class BucketRows {
    /** Bytes of a transaction besides the texts of a bucket, at most. */
    private static final int ROOM_BYTES = 16 << 10;

    private final RecordStore cube;
    private final HistoryPolicy policy;
    private final BucketTexts texts;

    /**
     * Creates a reader.
     *
     * @param policy history policy of buckets whose row has none
     */
    BucketRows(RecordStore cube, HistoryPolicy policy) {
        this.cube = cube;
        this.policy = policy;
        this.texts = new BucketTexts(cube);
    }

    /** Returns the names of the present and past buckets of a cube, by id. */
    public static Map<Long, String> namesById(RecordStore cube) {
        BucketRows rows = new BucketRows(cube, HistoryPolicy.NONE);
        Map<Long, String> names = new HashMap<>();
        for (Family family : List.of(BUCKET_HISTORY, BUCKETS)) {
            try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
                while (cursor.next()) {
                    BucketInfo info = rows.decode(family, cursor.key(), cursor.record());
                    names.put(info.id(), info.name().value());
                }
            }
        }
        return names;
    }

    /**
     * A past state of a bucket.
     *
     * @param ended sequence of the commit that changed or deleted the bucket
     */
    record PastRow(long ended, BucketInfo info) {}

    BucketInfo decode(Family family, byte[] key, StoredRecord record) {
        boolean isPast = family.equals(BUCKET_HISTORY);
        byte[] name = isPast ? RowKeys.bucket(RowKeys.bucketOfHistory(key)) : key;
        BucketRow.Detail detail =
                texts.of(
                        new BucketName(new String(name, StandardCharsets.UTF_8)),
                        isPast ? RowKeys.suffix(key) : record.sequence(),
                        record.detailBytes());
        return BucketRow.decode(name, record.summary(), detail, policy);
    }

    PastRow past(RecordCursor cursor) {
        BucketInfo info = decode(BUCKET_HISTORY, cursor.key(), cursor.record());
        return new PastRow(cursor.record().sequence(), info);
    }

    /**
     * Refuses texts that do not fit in a transaction together with those that they replace. Texts
     * that were stored under another limit can become shorter.
     *
     * @throws StoreException TEXTS_TOO_LONG
     */
    void requireFit(long bytesBefore, BucketInfo changed) {
        long max =
                Math.min(
                        StoreOptions.Limits.BUCKET_TEXT_BYTES_MAX,
                        (cube.transactionBytesMax() - ROOM_BYTES) / 2);
        long bytes = changed.textBytes();
        if (bytes > max && bytes > bytesBefore) {
            throw new StoreException(
                    Reason.TEXTS_TOO_LONG,
                    "The policy and the configurations of a bucket have "
                            + max
                            + " bytes at most together, and these have "
                            + bytes
                            + ": shorten or remove one.");
        }
    }

    /** Returns the bucket that has a name, according to its row. */
    Optional<BucketInfo> present(BucketName name) {
        byte[] key = RowKeys.bucket(name);
        return cube.get(BUCKETS, key).map(row -> decode(BUCKETS, key, row));
    }

    /** Returns the id of the bucket that has a name, according to its row. */
    public Optional<Long> presentId(BucketName name) {
        return present(name).map(BucketInfo::id);
    }

    /** Returns the id of the bucket of a past state. */
    public long pastId(RecordCursor cursor) {
        return past(cursor).info().id();
    }

    /** Returns the last past state of a bucket name that began by a sequence. */
    Optional<PastRow> past(BucketName name, long sequence) {
        return first(name, sequence, past -> true);
    }

    /** Returns the last past state of a bucket name that matches. */
    Optional<PastRow> past(BucketName name, Predicate<PastRow> isSo) {
        return first(name, Long.MAX_VALUE, isSo);
    }

    private Optional<PastRow> first(BucketName name, long sequence, Predicate<PastRow> isSo) {
        byte[] from = RowKeys.bucketHistory(name, sequence);
        byte[] to = RowKeys.behindPrefix(from, from.length - RowKeys.NUMBER_BYTES);
        try (RecordCursor cursor = cube.scan(BUCKET_HISTORY, from, to)) {
            while (cursor.next()) {
                PastRow past = past(cursor);
                if (isSo.test(past)) {
                    return Optional.of(past);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the sequence up to which replaced and deleted states of a bucket were not kept;
     * {@link PastStates#NEVER} while none are kept.
     */
    public long nothingKeptUpTo(BucketInfo bucket) {
        if (bucket.history() == HistoryPolicy.NONE) {
            return PastStates.NEVER;
        }
        // The record of a bucket that moved is later than the end of the state.
        long newer = PastStates.NEVER;
        byte[] from = RowKeys.bucketHistory(bucket.name(), Long.MAX_VALUE);
        byte[] to = RowKeys.behindPrefix(from, from.length - RowKeys.NUMBER_BYTES);
        try (RecordCursor cursor = cube.scan(BUCKET_HISTORY, from, to)) {
            while (cursor.next()) {
                PastRow past = past(cursor);
                if (past.info().id() == bucket.id()) {
                    if (past.info().history() == HistoryPolicy.NONE) {
                        return Math.min(past.ended(), newer);
                    }
                    newer = RowKeys.suffix(cursor.key());
                }
            }
        }
        return 0;
    }

    /** Returns whether a bucket has rows in a family of keys. */
    boolean hasRows(Family family, long bucketId) {
        return hasRows(family, bucketId, KeyRange.ALL);
    }

    /** Returns whether the keys that are in this cube have rows in a family. */
    boolean hasRows(Family family, BucketEntry bucket) {
        return hasRows(family, bucket.id(), bucket.range());
    }

    private boolean hasRows(Family family, long bucketId, KeyRange range) {
        byte[] from = RowKeys.start(bucketId, range);
        try (RecordCursor cursor = cube.scan(family, from, RowKeys.end(bucketId, range))) {
            return cursor.next();
        }
    }
}
