package io.volute.versioning.provenance;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ChainAudit;
import io.volute.provenance.audit.Contents;
import io.volute.provenance.chain.OpeningsFile;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.SignerId;
import io.volute.storage.Cube;
import io.volute.versioning.BucketName;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.Provenance;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions.Confidentiality;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;

/** Provenance as it lies in a cube. */
public final class StoreProvenance implements Provenance {
    private final Cube cube;
    private final ProvenanceLog log;
    private final InstantSource clock;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final Checkpoints checkpoints;
    private final EntryRetention retention;

    /**
     * @param locks of keys, for who removes entries
     */
    public StoreProvenance(
            Cube cube, ProvenanceLog log, InstantSource clock, EntryRetention.KeyLock locks) {
        this.cube = cube;
        this.log = log;
        this.clock = clock;
        this.keys = log.keys();
        begins = log.begins();
        checkpoints = new Checkpoints(cube, keys, clock, begins);
        retention = new EntryRetention(cube, log, checkpoints, locks);
    }

    @Override
    public Removed removeOld(Retention terms) throws IOException {
        return retention.remove(terms);
    }

    @Override
    public ProvenanceStats stats() {
        return log.stats();
    }

    @Override
    public Checkpoint checkpoint(BooleanSupplier goesOn) throws IOException {
        return checkpoints.make(goesOn);
    }

    @Override
    public LogSeal sealLog(long sequence, Hash hash) {
        StoreKeys.Signing signing = keys.signing();
        return LogSeal.sign(
                keys.storeId(), sequence, hash, clock.millis(), signing.sequence(), signing.keys());
    }

    @Override
    public Optional<Checkpoint> lastCheckpoint() throws IOException {
        return checkpoints.last();
    }

    @Override
    public List<Checkpoint> checkpoints(long from, int max) throws IOException {
        return checkpoints.list(from, max);
    }

    @Override
    public void writeHeads(Checkpoint at, OutputStream target) throws IOException {
        checkpoints.writeHeads(at, target);
    }

    @Override
    public List<String> auditCheckpoints(OptionalLong compared, BooleanSupplier goesOn)
            throws IOException {
        return checkpoints.audit(compared, goesOn);
    }

    @Override
    public Confidentiality confidentiality() {
        return keys.settings().confidentiality();
    }

    @Override
    public KeyList keys() {
        return keys.list();
    }

    @Override
    public void rotateKeys() throws IOException {
        keys.rotate();
    }

    @Override
    public void addPrincipalKey(String principal, PublicKey key) throws IOException {
        try {
            keys.addPrincipal(principal, key);
        } catch (RefusedException e) {
            throw new StoreException(Reason.INVALID_ARGUMENT, e.getMessage());
        }
    }

    @Override
    public void endPrincipalKey(SignerId id) throws IOException {
        try {
            keys.endPrincipal(id);
        } catch (RefusedException e) {
            throw new StoreException(Reason.INVALID_ARGUMENT, e.getMessage());
        }
    }

    private ChainWalk walk(Range range) {
        return new ChainWalk(cube, begins, keys.storeId(), range);
    }

    @Override
    public void addAuditor(String name, PublicKey key) throws IOException {
        try {
            keys.addAuditor(name, key);
        } catch (RefusedException e) {
            throw new StoreException(Reason.INVALID_ARGUMENT, e.getMessage());
        }
    }

    @Override
    public void endAuditor(String name) throws IOException {
        try {
            keys.endAuditor(name);
        } catch (RefusedException e) {
            throw new StoreException(Reason.INVALID_ARGUMENT, e.getMessage());
        }
    }

    @Override
    public boolean isSummarisable(Range range) throws IOException {
        boolean[] isThere = new boolean[1];
        boolean[] isPossible = new boolean[1];
        walk(range)
                .forEach(
                        chain -> {
                            isThere[0] = true;
                            isPossible[0] = ChainExcerpt.isSummarisable(chain);
                            return !isPossible[0];
                        });
        return isPossible[0] || !isThere[0];
    }

    @Override
    public long export(Range range, Selection selection, OutputStream target) throws IOException {
        ChainExport export = new ChainExport(cube, selection, target);
        long[] chains = new long[1];
        walk(range)
                .forEach(
                        chain -> {
                            export.add(chain);
                            chains[0]++;
                            return true;
                        });
        target.flush();
        return chains[0];
    }

    @Override
    public long openings(Range range, Selection selection, OutputStream target) throws IOException {
        Withholding withheld = selection.withheld();
        ChainExcerpt excerpt = new ChainExcerpt(selection.summary());
        OpeningsFile file = new OpeningsFile(target);
        BatchSource batches = new BatchSource(cube);
        long[] openings = new long[1];
        walk(range)
                .forEach(
                        chain -> {
                            excerpt.read(
                                    chain,
                                    (record, sequence) -> {
                                        Optional<EntryRecord> entry =
                                                batches.place(record, sequence).entry();
                                        if (entry.isPresent()) {
                                            openings[0] += write(withheld, entry.get(), file);
                                        }
                                        return true;
                                    });
                            return true;
                        });
        target.flush();
        return openings[0];
    }

    private static int write(Withholding withheld, EntryRecord entry, OpeningsFile file)
            throws IOException {
        SortedMap<Integer, Opening> openings = withheld.openings(entry);
        for (Map.Entry<Integer, Opening> each : openings.entrySet()) {
            file.add(OpeningsFile.Of.entry(entry.entry()), each.getKey(), each.getValue());
        }
        return openings.size();
    }

    @Override
    public long audit(Range range, Terms terms, Reports reports) throws IOException {
        // In this order: what is later than the list may be signed by keys that it does not have.
        Stand stand = new Stand(cube.lastSequence(), keys.list());
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || workers.add(chain, audit(chain, stand, terms)));
            return workers.finish();
        }
    }

    @Override
    public long auditSince(Checkpoint since, Range range, Terms terms, Reports reports)
            throws IOException {
        long before = since.body().commitSequence();
        Stand stand = new Stand(cube.lastSequence(), keys.list(), before);
        try (ChainWorkers workers = new ChainWorkers(cube, terms.threads(), reports)) {
            walk(range)
                    .forEach(
                            chain ->
                                    !chain.isThereAt(stand.commit)
                                            || !hasChanged(chain, before, stand.commit)
                                            || workers.add(chain, audit(chain, stand, terms)));
            // Behind the looks at the chains: their heads of then may have gone meanwhile.
            checkpoints.requireComparable(since);
            return workers.finish();
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

    @Override
    public void entries(BucketName bucket, ObjectKey key, long from, Entries entries)
            throws IOException {
        long bucketId = walk(Range.ofKey(bucket, key)).bucketId(bucket);
        BatchSource batches = new BatchSource(cube);
        ChainSource chain = new ChainSource(cube, begins, keys.storeId(), bucketId, bucket, key);
        Runnable held = chain.hold();
        try {
            chain.readFrom(
                    from,
                    (record, sequence) -> {
                        Optional<EntryRecord> entry = batches.place(record, sequence).entry();
                        return entry.isEmpty() || entries.next(entry.get());
                    });
        } finally {
            held.run();
        }
    }
}
