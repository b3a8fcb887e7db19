package io.volute.storage.recovery;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.MissingBlobException;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.blob.BlobOpener;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.blob.DetailReader;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordRow;
import io.volute.storage.rows.SnapshotCursor;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cube that another machine owns, as a standby index had it at one moment. Thread-safe.
 *
 * <p>The owner frees segments, and deletes their ledgers, without notice. Bytes of such a segment
 * come from its mirror. Without a mirror, the read fails with NOT_OPEN, and succeeds on a later
 * view.
 */
final class StandbyCube implements Cube.ReadOnly {
    private final CubeIndex index;
    private final DetailReader details;
    private final BlobOpener blobs;
    private final long lastSequence;
    private final FollowedSegments.Hold hold;
    private final AtomicLong ids;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /**
     * Creates a view.
     *
     * @param index snapshot, which the view closes
     * @param lastSequence the index has every commit up to it
     * @param hold keeps the segments of the index readable
     */
    StandbyCube(
            CubeIndex index,
            SegmentReads segments,
            CubeImages images,
            long lastSequence,
            FollowedSegments.Hold hold) {
        this.index = index;
        this.details = new DetailReader(segments, index);
        this.blobs = new BlobOpener(segments, index, images);
        this.lastSequence = lastSequence;
        this.hold = hold;
        this.ids = new AtomicLong(index.state().idHighWater());
    }

    /** {@inheritDoc} The id is of no use, as no commit can have it. */
    @Override
    public long allocateId() {
        return ids.incrementAndGet();
    }

    @Override
    public void passId(long id) {
        long unused = ids.accumulateAndGet(id, Math::max);
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        return index.record(family, key).map(RecordRow::toStored);
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        try {
            return details.read(family, key, record);
        } catch (DamagedException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        return new SnapshotCursor(index.records(family, from, to));
    }

    @Override
    public BlobReader openBlob(BlobId blob) throws IOException {
        try {
            return blobs.open(blob);
        } catch (DamagedException | MissingBlobException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static CubeUnavailableException unreadable(IOException cause) {
        CubeUnavailableException unavailable =
                new CubeUnavailableException(
                        Reason.NOT_OPEN,
                        "the standby cannot read the log now: " + cause.getMessage());
        unavailable.initCause(cause);
        return unavailable;
    }

    @Override
    public CubeUnavailableException notOwner() {
        return new CubeUnavailableException(
                Reason.NOT_OPEN, "a standby has no commits later than its own state");
    }

    @Override
    public long lastSequence() {
        return lastSequence;
    }

    @Override
    public CubeState state() {
        return isClosed.get() ? CubeState.CLOSED : CubeState.READ_ONLY;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            try (FollowedSegments.Hold closedLast = hold) {
                index.close();
            }
        }
    }
}
