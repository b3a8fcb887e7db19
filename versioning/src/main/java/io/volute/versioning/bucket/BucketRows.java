package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.BucketName;
import io.volute.versioning.body.Details;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.BucketRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.PastStates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Predicate;

/** Reads what buckets are and were. Thread-safe. */
public final class BucketRows {
    private final RecordStore cube;
    private final HistoryPolicy policy;

    /**
     * @param policy of buckets from before there was one
     */
    BucketRows(RecordStore cube, HistoryPolicy policy) {
        this.cube = cube;
        this.policy = policy;
    }

    /**
     * A bucket as it was.
     *
     * @param ended the sequence of the commit that changed it
     */
    record PastRow(long ended, BucketInfo info) {}

    BucketInfo decode(Family family, byte[] key, StoredRecord record) {
        byte[] name = family.equals(BUCKETS) ? key : RowKeys.bucket(RowKeys.bucketOfHistory(key));
        try {
            byte[] detail = Details.read(cube, family, key, record);
            return BucketRow.decode(name, record.summary(), detail, policy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PastRow past(RecordCursor cursor) {
        BucketInfo info = decode(BUCKET_HISTORY, cursor.key(), cursor.record());
        return new PastRow(cursor.record().sequence(), info);
    }

    /** What the last bucket of a name was that has changed or ended, and began by a sequence. */
    Optional<PastRow> past(BucketName name, long sequence) {
        return first(name, sequence, past -> true);
    }

    /** The latest such thing that a bucket of a name was. */
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
     * Up to which sequence nothing was kept in a bucket that its clients replaced or deleted;
     * {@link PastStates#NEVER} while that is so.
     */
    public long nothingKeptUpTo(BucketInfo bucket) {
        return bucket.history() == HistoryPolicy.NONE
                ? PastStates.NEVER
                : past(
                                bucket.name(),
                                past ->
                                        past.info().id() == bucket.id()
                                                && past.info().history() == HistoryPolicy.NONE)
                        .map(PastRow::ended)
                        .orElse(0L);
    }
}
