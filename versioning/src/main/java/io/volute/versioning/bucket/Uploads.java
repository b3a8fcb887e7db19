package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.PARTS;
import static io.volute.versioning.rows.Families.UPLOADS;

import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.UploadRow;
import io.volute.versioning.rows.UploadStamp;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.StampedLock;
import java.util.random.RandomGenerator;

/**
 * The multipart uploads in progress and their parts (S3 User Guide, "Multipart upload").
 * Thread-safe.
 */
public final class Uploads {
    private static final int LOCK_STRIPES = 256;

    private final RecordStore cube;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final StoreOptions.Limits limits;
    private final KeyLocks keyLocks;
    private final StampedLock[] uploadLocks = new StampedLock[LOCK_STRIPES];

    public Uploads(StoreOptions options, KeyLocks keyLocks) {
        this.cube = options.cube();
        this.clock = options.clock();
        this.random = options.random();
        this.limits = options.limits();
        this.keyLocks = keyLocks;
        Arrays.setAll(uploadLocks, index -> new StampedLock());
    }

    /** A part and its row. */
    public record StoredPart(PartInfo info, StoredRecord record) {}

    public UploadInfo create(
            Caller caller, BucketEntry bucket, ObjectKey key, ObjectAttributes attributes)
            throws IOException {
        try (ScopedHold shared = bucket.share()) {
            LockRules.requireAskable(bucket.info(), attributes.lock(), now());
            UploadStamp stamp = new UploadStamp(cube.allocateId(), random.nextLong());
            byte[] summary = UploadRow.encode(stamp, now(), caller.principal(), attributes);
            WriteBatch batch = new WriteBatch(cube);
            byte[] rowKey = RowKeys.upload(bucket.id(), key, stamp.number());
            batch.put(UPLOADS, rowKey, RecordContent.of(summary, List.of()));
            batch.commit();
            return UploadRow.decode(key, stamp.number(), summary);
        }
    }

    public UploadInfo require(BucketEntry bucket, ObjectKey key, String uploadId) {
        return find(bucket, key, uploadId).orElseThrow(() -> missing(uploadId));
    }

    public Optional<UploadInfo> find(BucketEntry bucket, ObjectKey key, String uploadId) {
        return UploadStamp.parse(uploadId)
                .flatMap(
                        stamp ->
                                cube.get(UPLOADS, RowKeys.upload(bucket.id(), key, stamp.number()))
                                        .map(StoredRecord::summary)
                                        .filter(
                                                row ->
                                                        UploadRow.stamp(stamp.number(), row)
                                                                .equals(stamp))
                                        .map(row -> UploadRow.decode(key, stamp.number(), row)));
    }

    public PartInfo putPart(
            BucketEntry bucket, ObjectKey key, String uploadId, PartInfo part, PendingBlob body)
            throws IOException {
        if (part.number() < 1 || part.number() > StoreOptions.Limits.PARTS_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "part number " + part.number() + "; 1 to " + StoreOptions.Limits.PARTS_MAX);
        }
        long bytes = ContentHash.contentBytes(body);
        if (bytes > limits.partBytesMax()) {
            throw new StoreException(
                    Reason.OBJECT_TOO_LARGE,
                    "part of " + bytes + " bytes; " + limits.partBytesMax() + " at most");
        }
        UploadStamp stamp = stamp(uploadId);
        try (ScopedHold shared = bucket.share();
                ScopedHold open = share(stamp);
                ScopedHold held = keyLocks.holdPart(stamp.number(), part.number())) {
            UploadInfo upload = require(bucket, key, uploadId);
            assert upload.key().equals(key);
            PartInfo stored =
                    new PartInfo(part.number(), bytes, part.etag(), now(), part.checksum());
            WriteBatch batch = new WriteBatch(cube);
            batch.add(body);
            batch.put(
                    PARTS,
                    RowKeys.part(stamp.number(), part.number()),
                    RecordContent.of(
                            PartRow.encode(stored, body.bytes(), ContentHash.of(body)),
                            List.of(body.id())));
            batch.commit();
            return stored;
        }
    }

    public PartPage listParts(
            BucketEntry bucket, ObjectKey key, String uploadId, OptionalInt afterPart, int max) {
        UploadInfo upload = require(bucket, key, uploadId);
        long number = stamp(uploadId).number();
        int first = Math.clamp(afterPart.orElse(0) + 1L, 0, StoreOptions.Limits.PARTS_MAX + 1);
        List<PartInfo> parts = new ArrayList<>();
        boolean more = false;
        try (RecordCursor cursor =
                cube.scan(
                        PARTS,
                        RowKeys.part(number, first),
                        RowKeys.behindPrefix(RowKeys.partsOf(number)))) {
            while (cursor.next()) {
                if (parts.size() == max) {
                    more = true;
                    break;
                }
                parts.add(PartRow.decode(cursor.record().summary()));
            }
        }
        Optional<Integer> next =
                more && max > 0 ? Optional.of(parts.getLast().number()) : Optional.empty();
        return new PartPage(upload, parts, next);
    }

    public void abort(BucketEntry bucket, ObjectKey key, String uploadId) throws IOException {
        UploadStamp stamp = stamp(uploadId);
        try (ScopedHold shared = bucket.share();
                ScopedHold closed = exclude(stamp)) {
            UploadInfo upload = require(bucket, key, uploadId);
            WriteBatch batch = new WriteBatch(cube).makingRoom();
            remove(batch, RowKeys.upload(bucket.id(), upload.key(), stamp.number()), stamp);
            batch.commit();
        }
    }

    /** Aborts all uploads of a bucket. The caller excludes its writers. */
    void abortAll(BucketEntry bucket) throws IOException {
        byte[] from = RowKeys.start(bucket.id(), bucket.range());
        byte[] to = RowKeys.end(bucket.id(), bucket.range());
        WriteBatch batch = new WriteBatch(cube).makingRoom();
        try (RecordCursor cursor = cube.scan(UPLOADS, from, to)) {
            while (cursor.next()) {
                long number = RowKeys.lastNumber(cursor.key());
                remove(batch, cursor.key(), UploadRow.stamp(number, cursor.record().summary()));
                if (batch.isFull()) {
                    batch.commit();
                    batch = new WriteBatch(cube).makingRoom();
                }
            }
        }
        if (!batch.isEmpty()) {
            batch.commit();
        }
    }

    /** Adds the removal of an upload and all its parts to a batch. */
    public void remove(WriteBatch batch, byte[] uploadKey, UploadStamp stamp) {
        batch.delete(UPLOADS, uploadKey);
        byte[] from = RowKeys.partsOf(stamp.number());
        try (RecordCursor cursor = cube.scan(PARTS, from, RowKeys.behindPrefix(from))) {
            while (cursor.next()) {
                batch.delete(PARTS, cursor.key());
            }
        }
    }

    /** Returns all parts of an upload, ascending. */
    public List<StoredPart> parts(UploadStamp stamp) {
        List<StoredPart> parts = new ArrayList<>();
        byte[] from = RowKeys.partsOf(stamp.number());
        try (RecordCursor cursor = cube.scan(PARTS, from, RowKeys.behindPrefix(from))) {
            while (cursor.next()) {
                StoredRecord record = cursor.record();
                parts.add(new StoredPart(PartRow.decode(record.summary()), record));
            }
        }
        return parts;
    }

    /**
     * Takes the exclusive lock of an upload: waits for running part writes and keeps new ones out.
     */
    public ScopedHold exclude(UploadStamp stamp) {
        StampedLock lock = lock(stamp);
        long held = lock.writeLock();
        return () -> lock.unlockWrite(held);
    }

    public static UploadStamp stamp(String uploadId) {
        return UploadStamp.parse(uploadId).orElseThrow(() -> missing(uploadId));
    }

    public static StoreException missing(String uploadId) {
        return new StoreException(Reason.NO_SUCH_UPLOAD, "no upload " + uploadId + " of this key");
    }

    private ScopedHold share(UploadStamp stamp) {
        StampedLock lock = lock(stamp);
        long held = lock.readLock();
        return () -> lock.unlockRead(held);
    }

    private StampedLock lock(UploadStamp stamp) {
        return uploadLocks[Math.floorMod(stamp.number(), LOCK_STRIPES)];
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
