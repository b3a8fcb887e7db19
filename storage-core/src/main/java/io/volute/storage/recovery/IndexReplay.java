package io.volute.storage.recovery;

import io.volute.storage.Place;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.commit.PendingBatch;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Applies logged batches to the index in groups, through the same code as a commit. Used by one
 * thread.
 */
final class IndexReplay implements SegmentLog.BatchVisitor {
    private static final long GROUP_BYTES = 4 << 20;
    private static final int GROUP_ENTRIES = 4096;

    private final CubeIndex index;
    private final SegmentAccounts accounts;
    private PendingBatch batch;
    private List<Place> places = new ArrayList<>();
    private final Set<Long> holes = new LinkedHashSet<>();
    private long groupBytes;
    private IndexState state;
    private long entries;

    IndexReplay(CubeIndex index, IndexState state, int holeBytesMin) {
        this.index = index;
        this.accounts = SegmentAccounts.load(index, holeBytesMin);
        this.batch = new PendingBatch(index);
        this.state = state;
    }

    SegmentAccounts accounts() {
        return accounts;
    }

    IndexState state() {
        return state;
    }

    long entries() {
        return entries;
    }

    @Override
    public void batch(SegmentLog.LoggedBatch logged) throws IOException {
        long next = state.nextSequence();
        for (SegmentLog.LoggedEntry each : logged.entries()) {
            if (each.entry() instanceof LogEntry.Hole hole) {
                holes.add(hole.blobId());
                entries++;
            } else if (!(each.entry() instanceof LogEntry.Digest)) {
                if (each.entry().sequence() < state.nextSequence()
                        && !(each.entry() instanceof LogEntry.KeptTombstone)) {
                    throw new IndexUnusableException(
                            "it holds sequence "
                                    + each.entry().sequence()
                                    + " already, which lies after its position");
                }
                entries++;
            }
            if (!(each.entry() instanceof LogEntry.Hole)) {
                next = Math.max(next, each.entry().sequence() + 1);
            }
            add(each.entry());
            places.add(each.place());
            groupBytes += each.place().bytes();
        }
        state =
                new IndexState(
                        logged.end(), next, Math.max(state.idHighWater(), logged.idHighWater()));
        if (places.size() >= GROUP_ENTRIES || groupBytes >= GROUP_BYTES) {
            apply();
        }
    }

    private void add(LogEntry entry) throws IOException {
        if (entry instanceof LogEntry.RecordPut put) {
            RecordKey key = key(put.family(), put.key());
            batch.put(put, key, old(key, put.victim()));
        } else if (entry instanceof LogEntry.Tombstone tombstone) {
            RecordKey key = key(tombstone.family(), tombstone.key());
            RecordRow old =
                    old(key, tombstone.victim())
                            .orElseThrow(() -> new IndexUnusableException("no victim"));
            batch.delete(tombstone, key, old);
        } else {
            batch.addOther(entry);
        }
    }

    private RecordKey key(int family, byte[] key) throws IOException {
        if (!index.knows(family)) {
            throw LogRecovery.unknownFamily(family);
        }
        return new RecordKey(family, key);
    }

    /** Returns the row that the entry replaces; a put of a new key costs no lookup. */
    private Optional<RecordRow> old(RecordKey key, LogEntry.Victim victim)
            throws IndexUnusableException {
        Optional<RecordRow> old =
                victim.sequence() != 0 || batch.touches(key)
                        ? batch.rowAfter(key, places)
                        : Optional.empty();
        if (old.map(RecordRow::sequence).orElse(0L) != victim.sequence()) {
            throw new IndexUnusableException(
                    "the log replaces sequence "
                            + victim.sequence()
                            + " of a record, the index holds "
                            + old.map(RecordRow::sequence).orElse(0L));
        }
        return old;
    }

    /**
     * Checks the holes that were found. A hole is punched only where a death is durable, so the
     * replay must have applied that death.
     */
    void checkHoles() throws IndexUnusableException {
        for (long blob : holes) {
            if (index.blob(blob).isPresent()) {
                throw new IndexUnusableException("blob " + blob + " is live and a hole");
            }
        }
    }

    void apply() throws IOException {
        batch.settle();
        SegmentAccounts.Changes changes = accounts.begin();
        index.write(batch.toIndexBatch(places, state, changes));
        changes.publish();
        batch = new PendingBatch(index);
        places = new ArrayList<>();
        groupBytes = 0;
    }
}
