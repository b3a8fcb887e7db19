package io.volute.versioning.history;

import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.History.Erasure;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.body.StoredState;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Has the data keys of all states of a key destroyed, and records that in its chain:
 *
 * <ol>
 *   <li>All states are looked at. Nothing happens if one is locked or not encrypted.
 *   <li>The data keys are destroyed. A crash behind that leaves no entry; the caller, who got no
 *       answer, repeats.
 *   <li>The entry is committed, so that it never claims what has not happened.
 * </ol>
 *
 * No write of the key is committed meanwhile. Thread-safe.
 */
public final class KeyErasure {
    private final RecordStore cube;
    private final KeyLocks locks;
    private final InstantSource clock;
    private final Optional<ProvenanceLog> log;

    public KeyErasure(
            RecordStore cube, KeyLocks locks, InstantSource clock, Optional<ProvenanceLog> log) {
        this.cube = cube;
        this.locks = locks;
        this.clock = clock;
        this.log = log;
    }

    int shred(Caller caller, BucketInfo bucket, ObjectKey key, Erasure erasure) throws IOException {
        try (ScopedHold held = locks.hold(bucket.id(), key)) {
            List<ObjectAttributes> states = states(bucket, key);
            if (states.isEmpty()) {
                throw new StoreException(
                        Reason.NO_SUCH_KEY, "no state of this key is kept: nothing to shred");
            }
            for (ObjectAttributes state : states) {
                LockRules.requireRemovable(state.lock(), clock.instant(), false);
            }
            long plain = states.stream().filter(state -> !erasure.covers(state)).count();
            if (plain > 0) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        plain
                                + " of "
                                + states.size()
                                + " states of this key are not encrypted: delete these versions,"
                                + " purge the history, then shred");
            }
            record(caller, bucket, key, states.size(), erasure.run(states));
            return states.size();
        }
    }

    private void record(
            Caller caller, BucketInfo bucket, ObjectKey key, int states, SortedSet<Long> erased)
            throws IOException {
        if (log.isEmpty()) {
            return;
        }
        ProvenanceRecorder recorder = log.get().recorder(caller);
        recorder.shredded(bucket, key, states, erased);
        Transaction transaction = new Transaction().makingRoom();
        try {
            recorder.addTo(transaction);
            Commits.join(cube, transaction);
            recorder.committed();
        } finally {
            recorder.release();
        }
    }

    private List<ObjectAttributes> states(BucketInfo bucket, ObjectKey key) throws IOException {
        List<ObjectAttributes> states = new ArrayList<>();
        for (StoredState state : StoredState.of(cube, bucket.id(), key)) {
            byte[] detail =
                    state.row().needsDetail()
                            ? RecordDetails.read(
                                    cube, state.family(), state.rowKey(), state.record())
                            : new byte[0];
            states.add(state.row().version(key, false, "", detail).attributes());
        }
        return states;
    }
}
