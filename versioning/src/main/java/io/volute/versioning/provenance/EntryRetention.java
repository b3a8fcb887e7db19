package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;
import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Removal;
import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.Provenance.Removed;
import io.volute.versioning.Provenance.Retention;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.provenance.EntryRows.Found;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Removes old entries from the beginning of chains. The commit of the removal contains a summary
 * entry, signed and linked like others: after a crash both have happened or neither. A run
 * continues after the last one; a restart begins with the first chain. Thread-safe.
 */
public final class EntryRetention {
    private static final byte[] NOTHING = {};

    /** The first key behind the store's own chain, which stays whole. */
    private static final byte[] FIRST = RowKeys.bucketStart(ChainIdentity.STORE_BUCKET_ID + 1);

    private static final Caller STORE = new Caller("", "", "");

    /** Maximum number of entries that one commit removes. */
    private static final int REMOVED_MAX = 1000;

    /** Estimated log bytes of the removal of an entry, including its batch. */
    private static final int REMOVAL_BYTES = 256;

    private final Cube cube;
    private final ProvenanceLog log;
    private final Checkpoints checkpoints;
    private final KeyLock locks;
    private byte[] position = FIRST;

    /** Excludes writers of a key. Run the result in the same thread to end it. */
    @FunctionalInterface
    public interface KeyLock {
        Runnable hold(long bucketId, ObjectKey key);
    }

    public EntryRetention(Cube cube, ProvenanceLog log, Checkpoints checkpoints, KeyLock locks) {
        this.cube = cube;
        this.log = log;
        this.checkpoints = checkpoints;
        this.locks = locks;
    }

    public synchronized Removed remove(Retention terms) throws IOException {
        if (retentionMillis() == 0) {
            return new Removed(0, true);
        }
        Optional<Checkpoint> vouching = checkpoints.newestUpTo(CommitTime.lastAt(terms.before()));
        if (vouching.isEmpty()) {
            return new Removed(0, true);
        }
        long upToCommit = vouching.get().body().commitSequence();
        long removed = 0;
        long rows = 0;
        while (rows < terms.rowsMax()) {
            Optional<byte[]> base = next();
            if (base.isEmpty()) {
                position = FIRST;
                return new Removed(removed, true);
            }
            Visit visit = new Visit(base.get(), upToCommit, terms.entriesMin());
            visit.run();
            rows += visit.rows;
            removed += visit.removed;
            if (visit.removed < visit.max()) {
                position = RowKeys.behindPrefix(base.get());
            }
        }
        return new Removed(removed, false);
    }

    /** Returns the retention of the signed settings, which auditors compare removals with. */
    private long retentionMillis() {
        return log.keys().settings().retention().toMillis();
    }

    /** Returns the common beginning of the keys of the next chain's rows. */
    private Optional<byte[]> next() {
        try (RecordCursor cursor = cube.scan(ENTRIES, position, NOTHING)) {
            return cursor.next()
                    ? Optional.of(
                            Arrays.copyOf(cursor.key(), cursor.key().length - RowKeys.NUMBER_BYTES))
                    : Optional.empty();
        }
    }

    /** The removal from one chain. */
    private final class Visit {
        private final byte[] base;
        private final long bucketId;
        private final ObjectKey key;
        private final long upToCommit;
        private final int entriesMin;
        private long rows;
        private int removed;

        Visit(byte[] base, long upToCommit, int entriesMin) {
            this.base = base;
            this.bucketId = RowKeys.bucketId(base);
            this.key = RowKeys.objectKey(base);
            this.upToCommit = upToCommit;
            this.entriesMin = Math.max(1, entriesMin);
        }

        /** Returns the maximum number of entries per commit, limited by the size of long keys. */
        int max() {
            long fits = cube.transactionBytesMax() / 2 / (base.length + REMOVAL_BYTES);
            return (int) Math.max(1, Math.min(REMOVED_MAX, fits));
        }

        void run() throws IOException {
            // A first check without the lock, with all entries taken as removable.
            ChainBeginning some = ChainBeginning.read(cube, base, entriesMin + 1);
            rows += some.rows().size() + some.more();
            if (some.removable(upToCommit, row -> false) < entriesMin) {
                return;
            }
            Runnable held = locks.hold(bucketId, key);
            try {
                Optional<Runnable> removing = log.begins().removing(base);
                if (removing.isPresent()) {
                    try {
                        remove();
                    } finally {
                        removing.get().run();
                    }
                }
            } finally {
                held.run();
            }
        }

        private void remove() throws IOException {
            ChainBeginning begin = ChainBeginning.read(cube, base, max() + 1);
            rows += begin.rows().size() + begin.more();
            LiveVersions live = new LiveVersions(cube, bucketId, key);
            int count = begin.removable(upToCommit, live::needs);
            // An incomplete chain stays unchanged, so that an audit finds the defect.
            boolean isWhole =
                    count > 0
                            && begin.rows().getFirst().sequence()
                                    == log.begins().first(bucketId, key);
            Optional<BucketInfo> bucket = bucket();
            if (isWhole && count >= entriesMin && bucket.isPresent()) {
                List<Found> gone = begin.rows().subList(0, count);
                OptionalLong until = time(gone.getLast());
                // Also when the clock was set back since.
                if (until.isPresent()
                        && log.now() - Math.max(0, until.getAsLong()) >= retentionMillis()) {
                    remove(bucket.get(), gone, until.getAsLong());
                    removed = count;
                }
            }
        }

        /** Returns the time of an entry; empty when it is damaged, which an audit reports. */
        private OptionalLong time(Found entry) {
            try {
                return OptionalLong.of(log.rows().read(entry).entry().placement().timeMillis());
            } catch (IOException e) {
                return OptionalLong.empty();
            }
        }

        private void remove(BucketInfo bucket, List<Found> gone, long until) throws IOException {
            // It frees space: a full store accepts it.
            Transaction transaction = new Transaction().makingRoom();
            BatchRemovals batches = new BatchRemovals(cube);
            for (Found each : gone) {
                transaction.delete(ENTRIES, each.key());
                batches.add(each.record().sequence(), each.row().link());
            }
            batches.addTo(transaction);
            ProvenanceRecorder recorder = log.recorder(STORE);
            recorder.summarised(bucket, key, removal(gone), until);
            try {
                recorder.addTo(transaction);
                // After the summary: an audit as of this record has the summary.
                log.begins().put(transaction, base, gone.getLast().sequence() + 1, upToCommit);
                Commits.join(cube, transaction);
                recorder.committed();
            } finally {
                recorder.release();
            }
        }

        private Removal removal(List<Found> gone) throws IOException {
            Found last = gone.getLast();
            TreeMap<EventKind, Removal.Last> ofKind = new TreeMap<>();
            for (Map.Entry<EventKind, Long> each : last.row().ofKind().entrySet()) {
                long sequence = each.getValue();
                List<Hash> links = log.rows().links(bucketId, key, sequence);
                ofKind.put(each.getKey(), new Removal.Last(sequence, links.getLast()));
            }
            return new Removal(
                    last.sequence(), log.rows().links(bucketId, key, last.sequence()), ofKind);
        }

        /**
         * Returns the bucket with its name in the chain; empty when the name was removed from the
         * disk.
         */
        private Optional<BucketInfo> bucket() {
            return cube.get(CHAIN_BUCKETS, RowKeys.number(bucketId))
                    .map(row -> new String(row.summary(), StandardCharsets.UTF_8))
                    .map(
                            name ->
                                    new BucketInfo(
                                            bucketId,
                                            new BucketName(name),
                                            "",
                                            Instant.EPOCH,
                                            BucketInfo.VersioningState.UNVERSIONED,
                                            HistoryPolicy.NONE));
        }
    }
}
