package io.volute.versioning.write;

import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.RecordCursor;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.BucketInfo.VersioningState;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event.Change;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.Row;
import io.volute.versioning.write.VersionChain.Link;
import java.util.List;

/**
 * What becomes of the states of one key that S3's clients cannot see any more: kept under {@code
 * history}, or not. Every state was the current one from one sequence to another; of what is kept,
 * both are known, so that the past can be shown. Used under the key's lock, on a batch.
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

    /** The stamp of a state before which nothing was. */
    CausalStamp first(long number) {
        writer.begins(number);
        return CausalStamp.first(0, writer.actor(), writer.actorVersion());
    }

    /** The stamp of a state behind one that stays visible. */
    CausalStamp follows(Link before) {
        writer.follows(before.decoded());
        return next(before);
    }

    private CausalStamp next(Link before) {
        return CausalStamp.first(
                before.decoded().causalVersion() + 1, writer.actor(), writer.actorVersion());
    }

    /** A state takes the place of this one, which nobody sees any more. Returns its stamp. */
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

    /** A version or marker is taken out. */
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

    /** Nothing is left of the key that clients can see. */
    void vanishes(Link removed) {
        byte[] base = RowKeys.current(bucket.id(), key);
        if (keeps || batch.first(HISTORY, base, RowKeys.behindPrefix(base)).isPresent()) {
            RemovedRow row = new RemovedRow(removed.decoded().number());
            batch.put(REMOVED, base, Row.of(row.encode(), List.of()));
        }
    }

    /**
     * A noncurrent version becomes the current one again: the first time is over. Returns its stamp
     * from now on. Its causal version is a new one, as if it were copied: the number behind its own
     * was that of the version removed, and may stand in the graph.
     */
    CausalStamp returns(WriteBatch.Entry returned, ObjectRow row, Link removed) {
        if (!writer.keepsAnything()) {
            return row.causal().withBegan(0);
        }
        if (returned.row().sequence() != 0) {
            put(
                    row.began(returned.row().sequence()),
                    0,
                    returned.row().sequence(),
                    row,
                    returned.row());
        }
        long version = Math.max(row.causalVersion(), removed.decoded().causalVersion()) + 1;
        writer.returned(version, row.causalVersion());
        return CausalStamp.first(version, row.causal().actor(), row.causal().actorVersion());
    }

    /**
     * The current version stays as it is, without a null version behind it; its row is written
     * again, and so begins anew. Returns the row.
     */
    Row stays(Link current) {
        ObjectRow row = current.decoded();
        if (isNew(current)) {
            return current.row().withSummary(row.withNullBehind(0));
        }
        long sequence = current.row().sequence();
        if (!writer.keepsAnything()) {
            return current.row().withSummary(row.withBegan(0, row.began(sequence)));
        }
        keep(current);
        return current.row().withSummary(row.withBegan(0, 0));
    }

    /** In {@code versions} the record's own sequence tells when the state ceased to be current. */
    byte[] retired(Link link) {
        return isNew(link)
                ? link.decoded().withNullBehind(0)
                : link.decoded().withBegan(0, link.decoded().began(link.row().sequence()));
    }

    /** A state was made, removed or changed. */
    void wrote(Change change, CausalStamp stamp, long number) {
        writer.wrote(change, stamp.version() == 0 ? number : stamp.version(), number);
    }

    private boolean freezes(Link link) {
        return writer.freezes(link.decoded(), link.decoded().began(link.row().sequence()));
    }

    private boolean freezesOld(Link link) {
        return writer.freezesOld(link.decoded(), link.decoded().began(link.row().sequence()));
    }

    private void keep(Link link) {
        long sequence = link.row().sequence();
        long began = link.decoded().began(sequence);
        long written = link.latest() && began != sequence ? sequence : 0;
        put(began, written, link.latest() ? 0 : sequence, link.decoded(), link.row());
    }

    private void put(long began, long written, long ended, ObjectRow state, Row row) {
        makeRoom();
        batch.putNew(
                HISTORY,
                RowKeys.history(bucket.id(), key, began),
                row.withSummary(new HistoryRow(written, ended, state).encode()));
        writer.kept(began);
        keeps = true;
    }

    /** Drops the oldest states, so that with one more there are no more than there may be. */
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

    /** Made in this very batch: there is no instant at which it was the current state. */
    private static boolean isNew(Link link) {
        return link.row().sequence() == 0;
    }
}
