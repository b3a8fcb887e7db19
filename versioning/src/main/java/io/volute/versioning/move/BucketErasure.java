package io.volute.versioning.move;

import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.move.KeyRows.Row;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Removes the rows of a range of keys from a cube that does not serve them. The chains of the keys
 * stay, and record that the versions are gone. Not thread-safe.
 */
public final class BucketErasure {
    private static final int KEYS_MAX = 100;

    private final MoveSide side;
    private final BucketInfo bucket;
    private final KeyRange range;
    private final Caller caller;
    private final BooleanSupplier goesOn;
    private final MoveProgress progress;

    /**
     * Creates an erasure.
     *
     * @param bucket the bucket, of which id, name and owner count
     * @param range the keys whose rows are removed
     * @param goesOn called for each commit; when it returns false, the erasure fails
     * @param progress receives the number of keys whose rows were removed, and first that of all
     */
    public BucketErasure(
            MoveSide side,
            BucketInfo bucket,
            KeyRange range,
            Caller caller,
            BooleanSupplier goesOn,
            MoveProgress progress) {
        this.side = side;
        this.bucket = bucket;
        this.range = range;
        this.caller = caller;
        this.goesOn = goesOn;
        this.progress = progress;
    }

    public void run() throws IOException {
        var uploads = UploadCopy.uploads(side.cube(), bucket.id(), range);
        for (byte[] upload : uploads.keySet()) {
            UploadCopy.remove(side.cube(), upload);
        }
        progress.begin(KeyCursor.count(side.cube(), bucket.id(), range, goesOn));
        long removed = 0;
        try (KeyCursor cursor = new KeyCursor(side.cube(), bucket.id(), range)) {
            List<KeyRows> some = new ArrayList<>();
            long bytes = 0;
            Optional<KeyRows> next = cursor.next();
            while (next.isPresent()) {
                some.add(next.get());
                for (Row row : next.get().rows()) {
                    bytes += row.key().length + 16L * WriteBatch.CHANGE_OVERHEAD_BYTES;
                }
                next = cursor.next();
                boolean isFull = bytes > WriteBatch.bytesMax(side.cube()) / 2;
                if (next.isEmpty() || isFull || some.size() == KEYS_MAX) {
                    BucketCopy.requireGoing(goesOn);
                    commit(some);
                    removed += some.size();
                    progress.at(removed);
                    some.clear();
                    bytes = 0;
                }
            }
        }
    }

    private void commit(List<KeyRows> keys) throws IOException {
        Transaction transaction = new Transaction().makingRoom();
        Optional<ProvenanceRecorder> recorder = side.log().map(log -> log.recorder(caller));
        int[] stripes = new int[keys.size()];
        for (int i = 0; i < stripes.length; i++) {
            ObjectKey key = RowKeys.objectKey(keys.get(i).base());
            stripes[i] = KeyLocks.stripe(bucket.id(), key.value());
            for (Row row : keys.get(i).rows()) {
                transaction.delete(row.family(), row.key());
                if (row.isPresent() && recorder.isPresent()) {
                    recorder.get().removed(bucket, row.state().listed(key, false, bucket.owner()));
                }
            }
        }
        try (ScopedHold held = side.locks().holdAll(stripes)) {
            if (recorder.isPresent()) {
                recorder.get().addTo(transaction);
            }
            Commits.join(side.cube(), transaction);
            recorder.ifPresent(ProvenanceRecorder::committed);
        } finally {
            recorder.ifPresent(ProvenanceRecorder::release);
        }
    }
}
