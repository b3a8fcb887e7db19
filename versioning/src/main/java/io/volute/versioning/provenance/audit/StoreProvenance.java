package io.volute.versioning.provenance.audit;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.chain.OpeningsFile;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.SignerId;
import io.volute.storage.Cube;
import io.volute.versioning.Provenance;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.provenance.ChainBegins;
import io.volute.versioning.provenance.Checkpoints;
import io.volute.versioning.provenance.EntryRetention;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.StoreKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;

/** The provenance of a store on its cube. Thread-safe. */
public final class StoreProvenance implements Provenance {
    private final Cube cube;
    private final ProvenanceLog log;
    private final InstantSource clock;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final Checkpoints checkpoints;
    private final EntryRetention retention;
    private final StoreAudit audits;

    /**
     * Creates the provenance; empty while signatures are off.
     *
     * @param locks locks of keys, for the removal of entries
     */
    public static Optional<Provenance> of(
            Cube cube,
            Optional<ProvenanceLog> log,
            InstantSource clock,
            EntryRetention.KeyLock locks) {
        return log.filter(ProvenanceLog::isSigning)
                .map(each -> new StoreProvenance(cube, each, clock, locks));
    }

    private StoreProvenance(
            Cube cube, ProvenanceLog log, InstantSource clock, EntryRetention.KeyLock locks) {
        this.cube = cube;
        this.log = log;
        this.clock = clock;
        this.keys = log.keys();
        begins = log.begins();
        checkpoints = new Checkpoints(cube, keys, clock, begins);
        retention = new EntryRetention(cube, log, checkpoints, locks);
        audits = new StoreAudit(cube, log, checkpoints, locks);
    }

    @Override
    public Removed removeOld(Retention terms) throws IOException {
        if (checkpoints.refusal().isPresent()) {
            // The remaining entries are evidence of the change of the chains.
            return new Removed(0, true);
        }
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
    public Optional<String> refusal() {
        return checkpoints.refusal();
    }

    @Override
    public void doubtCheckpoints(Optional<String> why) {
        checkpoints.doubt(why);
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
        // An auditor of any chain needs the settings of its time.
        ChainSource own = ChainSource.ofStore(cube, begins, keys.storeId());
        if (own.isThereAt(cube.lastSequence())) {
            export.addWhole(own);
        }
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
        ChainExcerpt excerpt = new ChainExcerpt(selection);
        OpeningsFile file = new OpeningsFile(target);
        BatchSource batches = new BatchSource(cube);
        long[] openings = new long[1];
        walk(range)
                .forEach(
                        chain -> {
                            if (excerpt.leavesOut(chain)) {
                                return true;
                            }
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
    public long count(Range range, BooleanSupplier goesOn) {
        return walk(range).count(goesOn);
    }

    @Override
    public long audit(Range range, Terms terms, Reports reports) throws IOException {
        return audits.audit(range, terms, reports);
    }

    @Override
    public long auditSince(Checkpoint since, Range range, Terms terms, Reports reports)
            throws IOException {
        return audits.auditSince(since, range, terms, reports);
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
