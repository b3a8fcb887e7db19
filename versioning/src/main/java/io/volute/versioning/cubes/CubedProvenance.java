package io.volute.versioning.cubes;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignerId;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.Provenance;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.provenance.SystemKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signed history of several cubes, each of which signs for itself. Chains are those of the cube
 * of their bucket; keys of principals and auditors are the same in all cubes; checkpoints and the
 * key list are those of the system cube. Thread-safe.
 */
record CubedProvenance(CubeRegistry cubes, CubeBuckets buckets) implements Provenance {
    private static final Logger LOG = LoggerFactory.getLogger(CubedProvenance.class);

    /** Returns whether commits of the store are signed. */
    boolean isOn() {
        return cubes.hasSystem()
                ? cubes.system().open().flatMap(open -> open.catalog().provenance()).isPresent()
                : buckets.areSigned();
    }

    /**
     * Returns that of the system cube; of another open one where that is elsewhere.
     *
     * @throws UncheckedIOException when no cube is open
     */
    private Provenance system() {
        try {
            return cubes.first().catalog().provenance().orElseThrow();
        } catch (CubeUnavailableException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Provenance of(CubeSlot slot) throws CubeUnavailableException {
        return slot.catalog().provenance().orElseGet(this::system);
    }

    /** Returns the cubes with chains of a range of a bucket. */
    private List<CubeSlot> homes(BucketName bucket, Range range) {
        CubeRouting routing = buckets.routing();
        try {
            return range.isExact() && routing.slotOf(bucket).isPresent()
                    ? List.of(routing.home(bucket, new ObjectKey(range.prefix())))
                    : routing.lastHomes(bucket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Provenance of(Range range) throws CubeUnavailableException {
        if (!cubes.hasSeveral()) {
            return system();
        }
        if (range.bucket().isEmpty()) {
            throw CubeRegistry.refused(
                    "the store has several cubes, each with its own identity: name a bucket or a"
                            + " cube");
        }
        List<CubeSlot> homes = homes(range.bucket().get(), range);
        if (homes.size() > 1) {
            throw CubeRegistry.refused(
                    "bucket "
                            + range.bucket().get().value()
                            + " is divided over cubes "
                            + homes.stream().map(CubeSlot::name).toList()
                            + ", each with its own identity: name one of them");
        }
        return of(homes.getFirst());
    }

    /** An open cube that signs. */
    private record Signed(Opened cube, Provenance provenance) {}

    private List<Signed> signed() {
        return cubes.opened().stream()
                .flatMap(
                        open ->
                                open.store().provenance().stream()
                                        .map(each -> new Signed(open, each)))
                .toList();
    }

    /**
     * Returns all cubes that sign.
     *
     * @throws CubeUnavailableException when a cube is not open
     */
    private List<Signed> all() throws CubeUnavailableException {
        for (CubeSlot slot : cubes.slots()) {
            Catalog unused = slot.catalog();
        }
        return signed();
    }

    /** A change of the keys of principals or auditors. */
    @FunctionalInterface
    private interface KeyChange {
        void on(Provenance system) throws IOException;
    }

    /**
     * Changes the keys of the system cube, which the others {@linkplain SystemKeys follow}.
     *
     * @throws CubeUnavailableException when a cube of this node is not open
     */
    private void change(KeyChange change) throws IOException {
        cubes.requireSystem();
        for (CubeSlot slot : cubes.slots()) {
            if (slot.phase() != Phase.ELSEWHERE) {
                Catalog unused = slot.catalog();
            }
        }
        change.on(system());
        cubes.others().forEach(this::follow);
    }

    /** Has a cube follow now. A failure is logged: the background tasks of the cube repeat it. */
    void follow(CubeSlot slot) {
        try {
            cubes.followKeys(slot.name());
        } catch (IOException | RuntimeException e) {
            LOG.warn("cube {} has not the keys of the system cube yet", slot.name(), e);
        }
    }

    @Override
    public Confidentiality confidentiality() {
        return system().confidentiality();
    }

    @Override
    public ProvenanceStats stats() {
        ProvenanceStats sum = ProvenanceStats.NONE;
        for (Signed each : signed()) {
            ProvenanceStats more = each.provenance().stats();
            sum =
                    new ProvenanceStats(
                            sum.entries() + more.entries(),
                            sum.batches() + more.batches(),
                            sum.signatures() + more.signatures(),
                            sum.signing().plus(more.signing()));
        }
        return sum;
    }

    @Override
    public KeyList keys() {
        return system().keys();
    }

    @Override
    public void addPrincipalKey(String principal, PublicKey key) throws IOException {
        change(system -> system.addPrincipalKey(principal, key));
    }

    @Override
    public void endPrincipalKey(SignerId id) throws IOException {
        change(system -> system.endPrincipalKey(id));
    }

    @Override
    public void addAuditor(String name, PublicKey key) throws IOException {
        change(system -> system.addAuditor(name, key));
    }

    @Override
    public void endAuditor(String name) throws IOException {
        change(system -> system.endAuditor(name));
    }

    @Override
    public void rotateKeys() throws IOException {
        for (Signed each : all()) {
            each.provenance().rotateKeys();
        }
    }

    /** {@inheritDoc} Makes one in each open cube, and returns that of the system cube. */
    @Override
    public Checkpoint checkpoint(BooleanSupplier goesOn) throws IOException {
        Provenance system = system();
        for (Signed each : signed()) {
            if (!each.provenance().equals(system)) {
                try {
                    Checkpoint unused = each.provenance().checkpoint(goesOn);
                } catch (CheckpointRefusedException | CubeUnavailableException e) {
                    LOG.warn("cube {} makes no checkpoint: {}", each.cube().name(), e.getMessage());
                }
            }
        }
        return system.checkpoint(goesOn);
    }

    /** Returns the beginning of a message about a cube; nothing when it is the only one. */
    private String named(Signed signed) {
        return cubes.hasSeveral() ? "cube " + signed.cube().name() + ": " : "";
    }

    @Override
    public Optional<String> refusal() {
        return signed().stream()
                .flatMap(each -> each.provenance().refusal().stream().map(why -> named(each) + why))
                .findFirst();
    }

    @Override
    public void doubtCheckpoints(Optional<String> why) {
        system().doubtCheckpoints(why);
    }

    @Override
    public LogSeal sealLog(long sequence, Hash hash) {
        return system().sealLog(sequence, hash);
    }

    @Override
    public Optional<Checkpoint> lastCheckpoint() throws IOException {
        // A server without the system cube begins before it has a cube open.
        return cubes.hasSystem() ? system().lastCheckpoint() : Optional.empty();
    }

    @Override
    public List<Checkpoint> checkpoints(long from, int max) throws IOException {
        return system().checkpoints(from, max);
    }

    @Override
    public void writeHeads(Checkpoint at, OutputStream target) throws IOException {
        system().writeHeads(at, target);
    }

    @Override
    public List<String> auditCheckpoints(OptionalLong compared, BooleanSupplier goesOn)
            throws IOException {
        if (compared.isPresent()) {
            return system().auditCheckpoints(compared, goesOn);
        }
        List<String> wrong = new ArrayList<>();
        for (Signed each : all()) {
            for (String defect : each.provenance().auditCheckpoints(compared, goesOn)) {
                wrong.add(named(each) + defect);
            }
        }
        return wrong;
    }

    @Override
    public Removed removeOld(Retention terms) throws IOException {
        return system().removeOld(terms);
    }

    @Override
    public boolean isSummarisable(Range range) throws IOException {
        return of(range).isSummarisable(range);
    }

    @Override
    public long export(Range range, Selection selection, OutputStream target) throws IOException {
        return of(range).export(range, selection, target);
    }

    @Override
    public long openings(Range range, Selection selection, OutputStream target) throws IOException {
        return of(range).openings(range, selection, target);
    }

    /** {@inheritDoc} A cube of a bucket that has no chains of it adds nothing. */
    @Override
    public long count(Range range, BooleanSupplier goesOn) throws IOException {
        long chains = 0;
        if (range.bucket().isEmpty()) {
            for (Signed each : all()) {
                chains += each.provenance().count(range, goesOn);
            }
            return chains;
        }
        for (CubeSlot slot : homes(range.bucket().get(), range)) {
            try {
                chains += of(slot).count(range, goesOn);
            } catch (StoreException e) {
                if (e.reason() != StoreException.Reason.NO_SUCH_BUCKET) {
                    throw e;
                }
            }
        }
        return chains;
    }

    @Override
    public long audit(Range range, Terms terms, Reports reports) throws IOException {
        long chains = 0;
        if (range.bucket().isPresent()) {
            return audit(homes(range.bucket().get(), range), range, terms, reports);
        }
        for (Signed each : all()) {
            chains += each.provenance().audit(range, terms, reports);
        }
        return chains;
    }

    /** Audits the chains of a bucket, of which some of its cubes can have none. */
    private long audit(List<CubeSlot> homes, Range range, Terms terms, Reports reports)
            throws IOException {
        long chains = 0;
        int unsigned = 0;
        for (CubeSlot slot : homes) {
            try {
                chains += of(slot).audit(range, terms, reports);
            } catch (StoreException e) {
                unsigned++;
                if (e.reason() != StoreException.Reason.NO_SUCH_BUCKET
                        || unsigned == homes.size()) {
                    throw e;
                }
            }
        }
        return chains;
    }

    @Override
    public long auditSince(Checkpoint since, Range range, Terms terms, Reports reports)
            throws IOException {
        return of(range).auditSince(since, range, terms, reports);
    }

    @Override
    public void entries(BucketName bucket, ObjectKey key, long from, Entries entries)
            throws IOException {
        of(Range.ofKey(bucket, key)).entries(bucket, key, from, entries);
    }
}
