package io.volute.versioning.provenance;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ChainAudit;
import io.volute.provenance.audit.Contents;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.storage.Cube;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Reports;
import io.volute.versioning.Provenance.Terms;
import java.io.IOException;
import java.util.Optional;

/** Audits of the chains of a store, by the store itself. Thread-safe. */
final class StoreAudit {
    private final Cube cube;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final Checkpoints checkpoints;

    StoreAudit(Cube cube, StoreKeys keys, ChainBegins begins, Checkpoints checkpoints) {
        this.cube = cube;
        this.keys = keys;
        this.begins = begins;
        this.checkpoints = checkpoints;
    }

    private ChainWalk walk(Range range) {
        return new ChainWalk(cube, begins, keys.storeId(), range);
    }

    /**
     * What the store's own chain says.
     *
     * @param reported 1 when it was reported as a chain
     */
    private record Own(SettingsHistory settings, int reported) {}

    /**
     * Audits the store's own chain, which says what held when the others were written. It is
     * reported as a chain only when something is wrong with it.
     */
    private Own own(Stand stand, Terms terms, Reports reports) throws IOException {
        ChainSource own = ChainSource.ofStore(cube, begins, keys.storeId());
        if (!own.isThereAt(stand.commit)) {
            return new Own(SettingsHistory.UNKNOWN, 0);
        }
        AuditTerms how = AuditTerms.of(stand.list).requiring(terms.required());
        AuditReport report =
                report(
                        own,
                        stand.commit,
                        new ChainAudit(own.identity(), how),
                        new BatchSource(cube));
        reports.settings(report.settings());
        if (!report.isClean()) {
            boolean ignored = reports.next(report);
        }
        return new Own(report.settings(), report.isClean() ? 0 : 1);
    }

    long audit(Range range, Terms terms, Reports reports) throws IOException {
        // In this order: what is later than the list may be signed by keys that it does not have.
        Stand stand = new Stand(cube.lastSequence(), keys.list());
        Own own = own(stand, terms, reports);
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || workers.add(chain, audit(chain, stand, terms)));
            return workers.finish() + own.reported;
        }
    }

    long auditSince(Checkpoint since, Range range, Terms terms, Reports reports)
            throws IOException {
        long before = since.body().commitSequence();
        Stand stand = new Stand(cube.lastSequence(), keys.list(), before);
        Own own = own(stand, terms, reports);
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || !hasChanged(chain, before, stand.commit)
                                            || workers.add(chain, audit(chain, stand, terms)));
            // Behind the looks at the chains: their heads of then may have gone meanwhile.
            checkpoints.requireComparable(since);
            return workers.finish() + own.reported;
        }
    }

    private static boolean hasChanged(ChainSource chain, long since, long now) {
        return !chain.lastAt(since).equals(chain.lastAt(now));
    }

    /**
     * What an audit is of.
     *
     * @param commit the last one; what comes later is for the next audit
     * @param since the last one that somebody else has looked at; 0 for nothing
     */
    private record Stand(long commit, KeyList list, long since) {
        Stand(long commit, KeyList list) {
            this(commit, list, 0);
        }
    }

    /** The audit of a chain, made when its turn comes. */
    private ChainWorkers.Work audit(ChainSource chain, Stand stand, Terms terms) {
        return batches -> {
            Runnable held = chain.hold();
            try {
                // Who removed entries since said so since.
                Stand since = new Stand(chain.removedAt(), keys.list(), stand.since);
                return audit(chain, since.commit > stand.commit ? since : stand, terms, batches);
            } finally {
                held.run();
            }
        };
    }

    private AuditReport audit(ChainSource chain, Stand stand, Terms terms, BatchSource batches)
            throws IOException {
        AuditScope scope = terms.scope().of(() -> chain.lastAt(stand.commit).orElse(0L));
        AuditTerms how = AuditTerms.of(stand.list).with(scope);
        how = how.requiring(terms.required());
        how = terms.acceptsSummaries() ? how.acceptingSummaries() : how;
        Contents contents =
                terms.comparesContents()
                        ? new VersionContents(cube, chain.bucketId(), chain.key())
                        : Contents.UNKNOWN;
        how = how.with(contents);
        Optional<ChainHead> head = stand.since == 0 ? Optional.empty() : chain.headAt(stand.since);
        ChainAudit audit =
                new ChainAudit(chain.identity(), head.isPresent() ? how.since(head.get()) : how);
        return report(chain, stand.commit, audit, batches);
    }

    private static AuditReport report(
            ChainSource chain, long commit, ChainAudit audit, BatchSource batches)
            throws IOException {
        ChainExport.RecentBatches told = new ChainExport.RecentBatches();
        chain.read(
                (record, sequence) -> {
                    if (sequence > commit) {
                        return true;
                    }
                    BatchSource.Placed placed = batches.place(record, sequence);
                    placed.batch()
                            .filter(told::isNew)
                            .ifPresent(each -> audit.batch(each.encode()));
                    audit.entry(placed.record());
                    return true;
                });
        return audit.finish();
    }
}
