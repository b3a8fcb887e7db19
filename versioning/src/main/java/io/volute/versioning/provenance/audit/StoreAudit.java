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
import io.volute.provenance.audit.Uncompared;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Openings;
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
import io.volute.versioning.provenance.StoreSettings;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/** Audits the chains of a store from the inside. Thread-safe. */
public final class StoreAudit {
    /** The terms of the audit of one key: all entries, without contents. */
    private static final Terms OF_KEY =
            new Terms(Terms.USUAL.scope(), Terms.USUAL.required(), false, false, 1);

    private final Cube cube;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final Checkpoints checkpoints;
    private final EntryRows entries;
    private final EntryRetention.KeyLock locks;

    /** The store's own chain as the audit of a key found it last. */
    private volatile Optional<KnownOwn> known = Optional.empty();

    /** Creates the audits of an open cube that signs. */
    public static StoreAudit of(
            Cube cube, ProvenanceLog log, InstantSource clock, EntryRetention.KeyLock locks) {
        Checkpoints checkpoints = new Checkpoints(cube, log.keys(), clock, log.begins());
        return new StoreAudit(cube, log, checkpoints, locks);
    }

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
    private Own own(AuditStand stand, Terms terms, Reports reports) throws IOException {
        ChainSource own = ChainSource.ofStore(cube, begins, keys.storeId());
        if (!own.isThereAt(stand.commit())) {
            return new Own(SettingsHistory.UNKNOWN, new TreeSet<>(), 0);
        }
        AuditTerms how = AuditTerms.of(stand.list()).requiring(terms.required());
        AuditReport report =
                report(
                        own,
                        stand.commit(),
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

    /** The store's own chain, which ended with this entry. */
    private record KnownOwn(long last, Own own, List<Finding> findings) {}

    private KnownOwn own() throws IOException {
        long last =
                entries.last(StoreSettings.BUCKET.id(), StoreSettings.KEY)
                        .map(EntryRows.Found::sequence)
                        .orElse(-1L);
        Optional<KnownOwn> before = known;
        if (before.isPresent() && before.get().last == last) {
            return before.get();
        }
        List<Finding> findings = new ArrayList<>();
        Own own = own(stand(0), OF_KEY, report -> findings.addAll(report.findings()));
        KnownOwn now = new KnownOwn(last, own, List.copyOf(findings));
        known = Optional.of(now);
        return now;
    }

    /**
     * The result of the audit of a key.
     *
     * @param findings defects of its chain, of its state, and of the store's own chain
     * @param unproven numbers of the versions that may have changed while nothing was signed
     */
    public record OfKey(List<Finding> findings, Set<Long> unproven) {}

    /** Audits the chain and the state of a key, not the contents. The caller holds its lock. */
    public OfKey audit(BucketInfo bucket, ObjectKey key) throws IOException {
        KnownOwn own = own();
        AuditStand stand = stand(0).with(own.own.settings);
        ChainSource chain =
                new ChainSource(cube, begins, keys.storeId(), bucket.id(), bucket.name(), key);
        StateCheck check =
                new StateCheck(
                        StateRows.read(
                                cube,
                                entries,
                                bucket.id(),
                                bucket.name().value(),
                                key,
                                Optional.empty()),
                        new UnsignedTimes(own.own.settings, own.own.commits));
        List<Finding> findings = new ArrayList<>(own.findings);
        if (check.lastEntry() >= 0) {
            Runnable held = chain.hold();
            try {
                AuditStand then = stand.removedAt(chain.removedAt(), keys.list());
                Records records = new Records(new BatchSource(cube), Optional.of(check));
                findings.addAll(audit(chain, then, OF_KEY, records).findings());
            } finally {
                held.run();
            }
        }
        findings.addAll(check.finish());
        return new OfKey(findings, check.doubtful());
    }

    /** Returns the last sequence of the commit of an entry: that of its batch. */
    private long end(long sequence) {
        try (RecordCursor cursor =
                cube.scan(BATCHES, RowKeys.number(sequence), RowKeys.number(Long.MAX_VALUE))) {
            return cursor.next() ? Math.max(sequence, cursor.record().sequence()) : sequence;
        }
    }

    long audit(Range range, Terms terms, Reports reports) throws IOException {
        AuditStand stand = stand(0);
        Own own = own(stand, terms, reports);
        Optional<States> states =
                comparesState(terms)
                        ? Optional.of(
                                new States(
                                        new UnsignedTimes(own.settings, own.commits),
                                        terms.openings()))
                        : Optional.empty();
        long chains;
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit())
                                            || workers.add(
                                                    chain,
                                                    audit(
                                                            chain,
                                                            stand.with(own.settings),
                                                            terms,
                                                            states)));
            chains = workers.finish() + own.reported;
        }
        if (states.isPresent()) {
            chains += states.get().withoutChain(range, reports);
            reports.unproven(states.get().unproven.sum());
            reports.unopened(states.get().unopened.sum(), states.get().explained.sum());
            reports.uncompared(Uncompared.METADATA, states.get().hidden.sum());
        }
        return chains;
    }

    /** Returns whether the state is compared, which needs all entries. */
    private static boolean comparesState(Terms terms) {
        return terms.scope().of(() -> 0) instanceof AuditScope.Linear;
    }

    /** Compares the state of keys with their chains. Thread-safe. */
    private final class States {
        private final UnsignedTimes unsigned;
        private final Optional<Openings> openings;
        private final LongAdder unopened = new LongAdder();
        private final LongAdder explained = new LongAdder();
        private final LongAdder unproven = new LongAdder();
        private final LongAdder hidden = new LongAdder();

        States(UnsignedTimes unsigned, Optional<Openings> openings) {
            this.unsigned = unsigned;
            this.openings = openings;
        }

        StateCheck begin(long bucketId, String bucket, ObjectKey key) {
            Runnable held = locks.hold(bucketId, key);
            try {
                return new StateCheck(
                        StateRows.read(cube, entries, bucketId, bucket, key, openings), unsigned);
            } finally {
                held.run();
            }
        }

        List<Finding> finish(StateCheck check) {
            List<Finding> found = check.finish();
            unproven.add(check.unproven());
            hidden.add(check.hidden());
            unopened.add(check.erasures().unopened());
            explained.add(check.erasures().explained());
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
                                        begin(
                                                RowKeys.bucketId(base),
                                                names.identity(keys.storeId(), base).bucket(),
                                                RowKeys.objectKey(base));
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
        AuditStand stand = stand(before);
        Own own = own(stand, terms, reports);
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    isUnchanged(chain, before, stand.commit(), reports)
                                            || workers.add(
                                                    chain,
                                                    audit(
                                                            chain,
                                                            stand.with(own.settings),
                                                            terms,
                                                            Optional.empty())));
            // After the walk over the chains: the heads of that time may have been removed
            // meanwhile.
            checkpoints.requireComparable(since);
            return workers.finish() + own.reported;
        }
    }

    private static boolean isUnchanged(ChainSource chain, long since, long now, Reports reports) {
        boolean isUnchanged =
                !chain.isThereAt(now) || chain.lastAt(since).equals(chain.lastAt(now));
        if (isUnchanged) {
            reports.unchanged();
        }
        return isUnchanged;
    }

    /** Returns the extent of an audit that begins now. */
    private AuditStand stand(long since) throws IOException {
        // In this order: an entry after the list may be signed by keys that are not in it, and a
        // later checkpoint may have heads after the last commit.
        OptionalLong checkpoint =
                checkpoints
                        .last()
                        .map(each -> OptionalLong.of(each.body().commitSequence()))
                        .orElse(OptionalLong.empty());
        long commit = cube.lastSequence();
        return new AuditStand(commit, keys.list(), since, checkpoint, SettingsHistory.UNKNOWN);
    }

    /** Returns the audit of a chain, which runs later in a worker. */
    private ChainWorkers.Work audit(
            ChainSource chain, AuditStand stand, Terms terms, Optional<States> states) {
        return batches -> {
            Runnable held = chain.hold();
            try {
                Optional<StateCheck> state =
                        states.map(
                                each ->
                                        each.begin(
                                                chain.bucketId(),
                                                chain.identity().bucket(),
                                                chain.key()));
                state.ifPresent(each -> chain.reachTo(each.lastEntry()));
                // A removal since then is recorded in a later entry.
                AuditStand then = stand.removedAt(chain.removedAt(), keys.list());
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

    private AuditReport audit(ChainSource chain, AuditStand stand, Terms terms, Records records)
            throws IOException {
        AuditScope scope = terms.scope().of(() -> chain.lastAt(stand.commit()).orElse(0L));
        AuditTerms how = AuditTerms.of(stand.list()).with(scope).with(stand.settings());
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
        return report(chain, stand.commit(), audit, records);
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
