package io.volute.versioning.move;

import static io.volute.versioning.rows.Families.PARTS;
import static io.volute.versioning.rows.Families.UPLOADS;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.body.MovedBlob;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.UploadRow;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes the multipart uploads of a range of keys in the target those of the source, with their
 * parts. Not thread-safe.
 */
final class UploadCopy {
    private final MoveSide from;
    private final MoveSide to;
    private final BucketInfo bucket;
    private final KeyRange range;

    UploadCopy(MoveSide from, MoveSide to, BucketInfo bucket, KeyRange range) {
        this.from = from;
        this.to = to;
        this.bucket = bucket;
        this.range = range;
    }

    /** Returns the rows below a key prefix. */
    static TreeMap<byte[], StoredRecord> rows(RecordStore cube, Family family, byte[] prefix) {
        return rows(cube, family, prefix, RowKeys.behindPrefix(prefix));
    }

    /** Returns the uploads of a range of the keys of a bucket. */
    static TreeMap<byte[], StoredRecord> uploads(RecordStore cube, long bucketId, KeyRange range) {
        return rows(cube, UPLOADS, RowKeys.start(bucketId, range), RowKeys.end(bucketId, range));
    }

    private static TreeMap<byte[], StoredRecord> rows(
            RecordStore cube, Family family, byte[] from, byte[] to) {
        TreeMap<byte[], StoredRecord> rows = new TreeMap<>(Arrays::compareUnsigned);
        try (RecordCursor cursor = cube.scan(family, from, to)) {
            while (cursor.next()) {
                rows.put(cursor.key(), cursor.record());
            }
        }
        return rows;
    }

    /** Copies what differs; returns the number of uploads and parts that did. */
    long pass() throws IOException {
        TreeMap<byte[], StoredRecord> source = uploads(from.cube(), bucket.id(), range);
        TreeMap<byte[], StoredRecord> target = uploads(to.cube(), bucket.id(), range);
        long changed = 0;
        for (var each : target.entrySet()) {
            if (!source.containsKey(each.getKey())) {
                remove(to.cube(), each.getKey());
                changed++;
            }
        }
        for (var each : source.entrySet()) {
            long number = RowKeys.lastNumber(each.getKey());
            if (!target.containsKey(each.getKey())) {
                requireFree(number, each.getValue());
                put(UPLOADS, each.getKey(), each.getValue());
                changed++;
            }
            changed += parts(number);
        }
        return changed;
    }

    /** Refuses if an upload of the target has this number: their parts would be mixed. */
    private void requireFree(long number, StoredRecord row) {
        boolean isUsed =
                !rows(to.cube(), PARTS, RowKeys.partsOf(number)).isEmpty() || hasUpload(number);
        if (isUsed) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "the multipart upload "
                            + UploadRow.stamp(number, row.summary()).uploadId()
                            + " of bucket "
                            + bucket.name().value()
                            + " has the number of an upload in the other cube: complete or abort"
                            + " it, then move the bucket");
        }
    }

    private boolean hasUpload(long number) {
        try (RecordCursor cursor = to.cube().scan(UPLOADS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                if (RowKeys.lastNumber(cursor.key()) == number) {
                    return true;
                }
            }
        }
        return false;
    }

    private long parts(long number) throws IOException {
        byte[] prefix = RowKeys.partsOf(number);
        TreeMap<byte[], StoredRecord> source = rows(from.cube(), PARTS, prefix);
        TreeMap<byte[], StoredRecord> target = rows(to.cube(), PARTS, prefix);
        long changed = 0;
        for (var each : source.entrySet()) {
            Optional<StoredRecord> there = Optional.ofNullable(target.get(each.getKey()));
            boolean isSame =
                    there.filter(row -> Arrays.equals(row.summary(), each.getValue().summary()))
                            .isPresent();
            if (!isSame) {
                put(PARTS, each.getKey(), each.getValue());
                changed++;
            }
        }
        return changed;
    }

    /** Puts a row with its blob, if it has one. */
    private void put(Family family, byte[] key, StoredRecord row) throws IOException {
        Transaction transaction = new Transaction();
        try (MovedBlob body = new MovedBlob(to.cube())) {
            List<BlobId> references = List.of();
            if (!row.references().isEmpty()) {
                try (BlobReader reader = from.cube().openBlob(row.references().getFirst())) {
                    body.take(reader);
                }
                references = List.of(body.addTo(adding(transaction)));
            }
            byte[] detail = new KeyRows.Row(family, key, row).detail(from.cube());
            Commits.join(
                    to.cube(), transaction.put(family, key, row.summary(), detail, references));
        }
    }

    static MovedBlob.Adding adding(Transaction transaction) {
        return new MovedBlob.Adding() {
            @Override
            public void add(PendingBlob blob) {
                transaction.add(blob);
            }

            @Override
            public void compose(BlobId blob, List<Transaction.Part> parts) {
                transaction.compose(blob, parts);
            }
        };
    }

    /** Removes an upload with its parts. */
    static void remove(RecordStore cube, byte[] uploadKey) throws IOException {
        Transaction transaction = new Transaction().makingRoom();
        byte[] parts = RowKeys.partsOf(RowKeys.lastNumber(uploadKey));
        rows(cube, PARTS, parts).keySet().forEach(part -> transaction.delete(PARTS, part));
        Commits.join(cube, transaction.delete(UPLOADS, uploadKey));
    }
}
