package io.volute.versioning.cubes;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignerId;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.Provenance;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.catalog.Catalog;
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

/**
 * The signed history of several cubes, each of which signs for itself. Chains are those of the cube
 * of their bucket; keys of principals and auditors are the same in all cubes; checkpoints and the
 * key list are those of the system cube. Thread-safe.
 */
record CubedProvenance(CubeRegistry cubes, CubeBuckets buckets) implements Provenance {
    /** Returns whether commits of the store are signed. */
    boolean isOn() {
        return cubes.isPart()
                ? buckets.areSigned()
                : cubes.system().open().flatMap(open -> open.catalog().provenance()).isPresent();
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

    /** Gives a new cube the keys of principals and auditors that the system cube has. */
    void copyTo(CubeSlot slot) throws IOException {
        Optional<Provenance> from =
                cubes.system().open().flatMap(open -> open.catalog().provenance());
        Optional<Provenance> to = slot.open().flatMap(open -> open.catalog().provenance());
        if (from.isEmpty() || to.isEmpty()) {
            return;
        }
        for (KeyGrant each : from.get().keys().open(KeyRole.PRINCIPAL)) {
            to.get().addPrincipalKey(each.owner(), each.key());
        }
        for (KeyGrant each : from.get().keys().open(KeyRole.AUDITOR)) {
            to.get().addAuditor(each.owner(), each.key());
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

    private static boolean isOpen(Provenance provenance, KeyRole role, SignerId id) {
        return provenance.keys().open(role).stream().anyMatch(each -> each.key().id().equals(id));
    }

    private static boolean hasAuditor(Provenance provenance, String name) {
        return provenance.keys().open(KeyRole.AUDITOR).stream()
                .anyMatch(each -> each.owner().equals(name));
    }

    // The system cube is the last: until it has the change, the same call can be repeated.

    @Override
    public void addPrincipalKey(String principal, PublicKey key) throws IOException {
        for (Signed each : all().reversed()) {
            if (each.provenance().equals(system())
                    || !isOpen(each.provenance(), KeyRole.PRINCIPAL, key.id())) {
                each.provenance().addPrincipalKey(principal, key);
            }
        }
    }

    @Override
    public void endPrincipalKey(SignerId id) throws IOException {
        for (Signed each : all().reversed()) {
            if (each.provenance().equals(system())
                    || isOpen(each.provenance(), KeyRole.PRINCIPAL, id)) {
                each.provenance().endPrincipalKey(id);
            }
        }
    }

    @Override
    public void addAuditor(String name, PublicKey key) throws IOException {
        for (Signed each : all().reversed()) {
            if (each.provenance().equals(system())
                    || !isOpen(each.provenance(), KeyRole.AUDITOR, key.id())) {
                each.provenance().addAuditor(name, key);
            }
        }
    }

    @Override
    public void endAuditor(String name) throws IOException {
        for (Signed each : all().reversed()) {
            if (each.provenance().equals(system()) || hasAuditor(each.provenance(), name)) {
                each.provenance().endAuditor(name);
            }
        }
    }

    @Override
    public void rotateKeys() throws IOException {
        for (Signed each : all()) {
            each.provenance().rotateKeys();
        }
    }

    @Override
    public Checkpoint checkpoint(BooleanSupplier goesOn) throws IOException {
        return system().checkpoint(goesOn);
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
        return cubes.isPart() ? Optional.empty() : system().lastCheckpoint();
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

    @Override
    public long audit(Range range, Terms terms, Reports reports) throws IOException {
        long chains = 0;
        if (range.bucket().isPresent()) {
            for (CubeSlot slot : homes(range.bucket().get(), range)) {
                chains += of(slot).audit(range, terms, reports);
            }
            return chains;
        }
        for (Signed each : all()) {
            chains += each.provenance().audit(range, terms, reports);
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
