package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.BATCHES;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ChainAudit;
import io.volute.provenance.audit.Contents;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Reports;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.provenance.BucketNames;
import io.volute.versioning.provenance.ChainBegins;
import io.volute.versioning.provenance.Checkpoints;
import io.volute.versioning.provenance.EntryRetention;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.StoreKeys;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/** Audits the chains of a store from the inside. Thread-safe. */
final class StoreAudit {
    private final Cube cube;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final Checkpoints checkpoints;
    private final EntryRows entries;
    private final EntryRetention.KeyLock locks;

    /**
     * Creates the audits.
     *
     * @param locks locks of keys: a key's rows are read under its lock, together with the end of
     *     its chain
     */
    StoreAudit(
            Cube cube, ProvenanceLog log, Checkpoints checkpoints, EntryRetention.KeyLock locks) {
        this.cube = cube;
        this.keys = log.keys();
        this.begins = log.begins();
        this.entries = log.rows();
        this.checkpoints = checkpoints;
        this.locks = locks;
    }

    private ChainWalk walk(Range range) {
        return new ChainWalk(cube, begins, keys.storeId(), range);
    }

    /**
     * The result of the audit of the store's own chain.
     *
     * @param commits last sequences of the commits that wrote it
     * @param reported 1 when it was reported as a chain
     */
    private record Own(SettingsHistory settings, NavigableSet<Long> commits, int reported) {}

    /**
     * Audits the store's own chain, which has the settings at the time of the other entries. It is
     * reported as a chain only if it has a defect.
     */
    private Own own(Stand stand, Terms terms, Reports reports) throws IOException {
        ChainSource own = ChainSource.ofStore(cube, begins, keys.storeId());
        if (!own.isThereAt(stand.commit)) {
            return new Own(SettingsHistory.UNKNOWN, new TreeSet<>(), 0);
        }
        AuditTerms how = AuditTerms.of(stand.list).requiring(terms.required());
        AuditReport report =
                report(
                        own,
                        stand.commit,
                        new ChainAudit(own.identity(), stand.whole().trusting(how, own)),
                        new Records(new BatchSource(cube), Optional.empty()));
        reports.settings(report.settings());
        if (!report.isClean()) {
            boolean ignored = reports.next(report);
        }
        NavigableSet<Long> commits = new TreeSet<>();
        own.read((record, sequence) -> commits.add(end(sequence)) || !commits.isEmpty());
        return new Own(report.settings(), commits, report.isClean() ? 0 : 1);
    }

    /** Returns the last sequence of the commit of an entry: that of its batch. */
    private long end(long sequence) {
        try (RecordCursor cursor =
                cube.scan(BATCHES, RowKeys.number(sequence), RowKeys.number(Long.MAX_VALUE))) {
            return cursor.next() ? Math.max(sequence, cursor.record().sequence()) : sequence;
        }
    }

    long audit(Range range, Terms terms, Reports reports) throws IOException {
        Stand stand = stand(0);
        Own own = own(stand, terms, reports);
        Optional<States> states =
                comparesState(range, terms)
                        ? Optional.of(new States(new UnsignedTimes(own.settings, own.commits)))
                        : Optional.empty();
        long chains;
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || workers.add(
                                                    chain,
                                                    audit(chain, stand.with(own), terms, states)));
            chains = workers.finish() + own.reported;
        }
        if (states.isPresent()) {
            chains += states.get().withoutChain(range, reports);
            reports.unproven(states.get().unproven.sum());
        }
        return chains;
    }

    /**
     * Returns whether the state is compared. A full audit does so only on request, because it reads
     * the rows of all versions.
     */
    private static boolean comparesState(Range range, Terms terms) {
        boolean isLinear = terms.scope().of(() -> 0) instanceof AuditScope.Linear;
        return isLinear && (terms.comparesContents() || !range.equals(Range.ALL));
    }

    /** Compares the state of keys with their chains. Thread-safe. */
    private final class States {
        private final UnsignedTimes unsigned;
        private final LongAdder unproven = new LongAdder();

        States(UnsignedTimes unsigned) {
            this.unsigned = unsigned;
        }

        StateCheck begin(long bucketId, ObjectKey key) {
            Runnable held = locks.hold(bucketId, key);
            try {
                return new StateCheck(StateRows.read(cube, entries, bucketId, key), unsigned);
            } finally {
                held.run();
            }
        }

        List<Finding> finish(StateCheck check) {
            List<Finding> found = check.finish();
            unproven.add(check.unproven());
            return found;
        }

        /** Audits keys that have versions and no entry; returns the number of reports. */
        long withoutChain(Range range, Reports reports) throws IOException {
            BucketNames names = BucketNames.read(cube);
            long[] reported = new long[1];
            new ChainlessKeys(cube, entries, range)
                    .forEach(
                            base -> {
                                StateCheck check =
                                        begin(RowKeys.bucketId(base), RowKeys.objectKey(base));
                                // Its first entry may have been added after the lookup.
                                List<Finding> found =
                                        check.lastEntry() >= 0 ? List.of() : finish(check);
                                if (found.isEmpty()) {
                                    return true;
                                }
                                reported[0]++;
                                String name = names.identity(keys.storeId(), base).toString();
                                return reports.next(AuditReport.ofState(name, found));
                            });
            return reported[0];
        }
    }

    long auditSince(Checkpoint since, Range range, Terms terms, Reports reports)
            throws IOException {
        long before = since.body().commitSequence();
        Stand stand = stand(before);
        Own own = own(stand, terms, reports);
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || !hasChanged(chain, before, stand.commit)
                                            || workers.add(
                                                    chain,
                                                    audit(
                                                            chain,
                                                            stand.with(own),
                                                            terms,
                                                            Optional.empty())));
            // After the walk over the chains: the heads of that time may have been removed
            // meanwhile.
            checkpoints.requireComparable(since);
            return workers.finish() + own.reported;
        }
    }

    private static boolean hasChanged(ChainSource chain, long since, long now) {
        return !chain.lastAt(since).equals(chain.lastAt(now));
    }

    /**
     * The extent of an audit.
     *
     * @param commit the last commit; the next audit takes later ones
     * @param since last commit of an earlier audit; 0 for none
     * @param checkpoint commit of the newest checkpoint, which contains all chains of that time
     * @param settings settings of the store over time
     */
    private record Stand(
            long commit,
            KeyList list,
            long since,
            OptionalLong checkpoint,
            SettingsHistory settings) {
        Stand with(Own own) {
            return new Stand(commit, list, since, checkpoint, own.settings);
        }

        /** Returns the same extent with all entries. */
        Stand whole() {
            return new Stand(commit, list, 0, checkpoint, settings);
        }

        /** Returns the extent for a chain whose beginning was removed later. */
        Stand removedAt(long removal, KeyList now) {
            return removal > commit ? new Stand(removal, now, since, checkpoint, settings) : this;
        }

        /** Adds the head of a chain in the checkpoints to the terms. */
        AuditTerms trusting(AuditTerms terms, ChainSource chain) {
            OptionalLong known = since == 0 ? checkpoint : OptionalLong.of(since);
            if (known.isEmpty()) {
                return terms;
            }
            AuditTerms at = terms.at(known.getAsLong());
            Optional<ChainHead> head = chain.headAt(known.getAsLong());
            return head.map(each -> since == 0 ? at.with(each) : at.since(each)).orElse(at);
        }
    }

    /** Returns the extent of an audit that begins now. */
    private Stand stand(long since) throws IOException {
        // In this order: an entry after the list may be signed by keys that are not in it, and a
        // later checkpoint may have heads after the last commit.
        OptionalLong checkpoint =
                checkpoints
                        .last()
                        .map(each -> OptionalLong.of(each.body().commitSequence()))
                        .orElse(OptionalLong.empty());
        long commit = cube.lastSequence();
        return new Stand(commit, keys.list(), since, checkpoint, SettingsHistory.UNKNOWN);
    }

    /** Returns the audit of a chain, which runs later in a worker. */
    private ChainWorkers.Work audit(
            ChainSource chain, Stand stand, Terms terms, Optional<States> states) {
        return batches -> {
            Runnable held = chain.hold();
            try {
                Optional<StateCheck> state =
                        states.map(each -> each.begin(chain.bucketId(), chain.key()));
                state.ifPresent(each -> chain.reachTo(each.lastEntry()));
                // A removal since then is recorded in a later entry.
                Stand then = stand.removedAt(chain.removedAt(), keys.list());
                AuditReport report = audit(chain, then, terms, new Records(batches, state));
                return state.isPresent()
                        ? report.with(states.orElseThrow().finish(state.get()))
                        : report;
            } finally {
                held.run();
            }
        };
    }

    /** The source of batches, and the check of the state. */
    private record Records(BatchSource batches, Optional<StateCheck> state) {}

    private AuditReport audit(ChainSource chain, Stand stand, Terms terms, Records records)
            throws IOException {
        AuditScope scope = terms.scope().of(() -> chain.lastAt(stand.commit).orElse(0L));
        AuditTerms how = AuditTerms.of(stand.list).with(scope).with(stand.settings);
        how = how.requiring(terms.required());
        how = terms.acceptsSummaries() ? how.acceptingSummaries() : how;
        Contents contents =
                terms.comparesContents()
                        ? new VersionContents(cube, chain.bucketId(), chain.key())
                        : Contents.UNKNOWN;
        how = how.with(contents);
        StoredTrees trees = new StoredTrees(cube);
        ChainAudit audit =
                new ChainAudit(
                        chain.identity(),
                        stand.trusting(how, chain),
                        id -> trees.find(id).isPresent());
        return report(chain, stand.commit, audit, records);
    }

    private static AuditReport report(
            ChainSource chain, long commit, ChainAudit audit, Records records) throws IOException {
        ChainExport.RecentBatches seen = new ChainExport.RecentBatches();
        chain.read(
                (record, sequence) -> {
                    BatchSource.Placed placed = records.batches.place(record, sequence);
                    if (records.state.isPresent() && placed.entry().isPresent()) {
                        records.state.get().entry(placed.entry().get(), sequence);
                    }
                    if (sequence > commit) {
                        return true;
                    }
                    placed.batch()
                            .filter(seen::isNew)
                            .ifPresent(each -> audit.batch(each.encode()));
                    audit.entry(placed.record());
                    return true;
                });
        return audit.finish();
    }
}
