package io.volute.versioning.write;

import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.RecordCursor;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.VersionChain.Link;
import java.util.List;
import java.util.Optional;

/**
 * Keeps or discards the states of one key that S3 clients no longer see. Kept states go to {@code
 * history}, with the sequences at which each began and ended as the current state. Not thread-safe.
 * The caller holds the key's lock.
 */
final class KeyHistory {
    private final WriteBatch batch;
    private final BucketInfo bucket;
    private final ObjectKey key;
    private final CausalWriter writer;
    private boolean keeps;

    KeyHistory(WriteBatch batch, BucketInfo bucket, ObjectKey key, CausalWriter writer) {
        this.batch = batch;
        this.bucket = bucket;
        this.key = key;
        this.writer = writer;
    }

    /** Begins the history of a key, and returns the stamp of its first state. */
    CausalStamp first(long number) {
        writer.begins(number);
        return CausalStamp.first(0, writer.actor(), writer.actorVersion());
    }

    /** Returns the stamp of a state that follows one which stays visible. */
    CausalStamp follows(Link before) {
        writer.follows(before.decoded());
        return next(before);
    }

    private CausalStamp next(Link before) {
        return CausalStamp.first(
                before.decoded().causalVersion() + 1, writer.actor(), writer.actorVersion());
    }

    /** Replaces a state that clients no longer see, and returns the stamp of the new one. */
    CausalStamp replaces(Link replaced) {
        if (!writer.keepsAnything()) {
            return CausalStamp.NONE;
        }
        if (isNew(replaced)) {
            return replaced.decoded().causal();
        }
        ObjectRow row = replaced.decoded();
        boolean isExact = bucket.versioning() == VersioningState.ENABLED;
        if (freezes(replaced) || isExact) {
            keep(replaced);
            return next(replaced);
        }
        writer.letsGo(row.began(replaced.row().sequence()));
        return new CausalStamp(
                row.began(replaced.row().sequence()),
                row.causalVersion(),
                writer.actor(),
                writer.actorVersion());
    }

    /** Removes a version or marker. */
    void removes(Link removed) {
        if (isNew(removed)) {
            return;
        }
        if (removed.latest() ? freezes(removed) : freezesOld(removed)) {
            keep(removed);
        } else {
            writer.letsGo(removed.decoded().began(removed.row().sequence()));
        }
    }

    /** Ends the history of a key of which no version is visible any more. */
    void vanishes(Link removed) {
        byte[] base = RowKeys.current(bucket.id(), key);
        if (keeps || batch.first(HISTORY, base, RowKeys.behindPrefix(base)).isPresent()) {
            RemovedRow row = new RemovedRow(removed.decoded().number());
            batch.put(REMOVED, base, RecordContent.of(row.encode(), List.of()));
        }
    }

    /**
     * Makes a noncurrent version current again and ends its first period. Returns its new stamp
     * with a new causal version, as for a copy. The number after its own belonged to the removed
     * version, and may be in the graph.
     */
    CausalStamp returns(WriteBatch.Entry returned, ObjectRow row, Link removed) {
        if (!writer.keepsAnything()) {
            return row.causal().withBegan(0);
        }
        if (returned.row().sequence() != 0) {
            put(
                    row.began(returned.row().sequence()),
                    0,
                    row.settled(returned.row().sequence()),
                    row,
                    returned.row());
        }
        long version = Math.max(row.causalVersion(), removed.decoded().causalVersion()) + 1;
        writer.returned(version, row.causalVersion());
        return CausalStamp.first(version, row.causal().actor(), row.causal().actorVersion());
    }

    /**
     * Rewrites the current version unchanged, without a null version behind it. The rewritten row
     * begins anew.
     *
     * @return the new row
     */
    RecordContent stays(Link current) {
        ObjectRow row = current.decoded();
        if (isNew(current)) {
            return current.row().withSummary(row.withNullBehind(0));
        }
        long sequence = current.row().sequence();
        if (!writer.keepsAnything()) {
            return current.row().withSummary(row.kept(0, sequence));
        }
        keep(current);
        return current.row().withSummary(row.withBegan(0, 0));
    }

    /**
     * Returns the summary for {@code versions}. There the sequence of the record is the end of the
     * state, until a move or a change of tags makes a later record.
     */
    byte[] retired(Link link) {
        return isNew(link)
                ? link.decoded().withNullBehind(0)
                : link.decoded().withBegan(0, link.decoded().began(link.row().sequence()));
    }

    /**
     * Returns the row of a noncurrent version whose attributes change, with the end that it had.
     */
    EncodedRow stillRetired(Link link, EncodedRow changed) {
        long ended = link.decoded().settled(link.row().sequence());
        byte[] summary = ObjectRow.decode(changed.summary()).kept(0, ended);
        return new EncodedRow(summary, changed.detail());
    }

    /** Returns the effect of a state that was made, removed or changed. */
    Optional<StateChange.Effect> effect(ChangeKind change, CausalStamp stamp, long number) {
        return writer.effect(change, stamp.version() == 0 ? number : stamp.version());
    }

    /** Records that the write brought back the state, or the absence, at a sequence. */
    void restored(long origin) {
        writer.restored(origin);
    }

    private boolean freezes(Link link) {
        return writer.freezes(link.decoded(), link.decoded().began(link.row().sequence()));
    }

    private boolean freezesOld(Link link) {
        return writer.freezesOld(link.decoded(), link.decoded().began(link.row().sequence()));
    }

    private void keep(Link link) {
        long began = link.decoded().began(link.row().sequence());
        long settled = link.decoded().settled(link.row().sequence());
        long written = link.latest() && began != settled ? settled : 0;
        put(began, written, link.latest() ? 0 : settled, link.decoded(), link.row());
    }

    private void put(long began, long written, long ended, ObjectRow state, RecordContent row) {
        makeRoom();
        batch.putNew(
                HISTORY,
                RowKeys.history(bucket.id(), key, began),
                row.withSummary(new HistoryRow(written, ended, state).encode()));
        writer.kept(began);
        keeps = true;
    }

    /** Drops the oldest states so that the limit holds with one more. */
    private void makeRoom() {
        if (writer.statesMax() == Integer.MAX_VALUE) {
            return;
        }
        byte[] base = RowKeys.current(bucket.id(), key);
        try (RecordCursor cursor = batch.cube().scan(HISTORY, base, RowKeys.behindPrefix(base))) {
            for (int states = 1; cursor.next(); states++) {
                if (states >= writer.statesMax()) {
                    batch.delete(HISTORY, cursor.key());
                }
            }
        }
    }

    /** Returns whether a state was made in this batch, so that it was current at no instant. */
    private static boolean isNew(Link link) {
        return link.row().sequence() == 0;
    }
}
