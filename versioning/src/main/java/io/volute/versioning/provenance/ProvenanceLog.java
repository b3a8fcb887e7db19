package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;

import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignedSettings;
import io.volute.storage.BatchSeal;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.Transaction;
import io.volute.storage.report.Distribution;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.rows.BatchRow;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;

/**
 * Writes the chains of all keys: the entries of a commit in that commit, and one signature per
 * batch. Thread-safe. Callers hold the lock of each key.
 */
public final class ProvenanceLog implements BatchSeal {
    /** Maximum bytes of a seal with signatures of all algorithms. */
    private static final int SEAL_BYTES_MAX = 16 << 10;

    /** Number of chain ends in memory; each takes at most some KiB. */
    private static final int KEPT = 1 << 12;

    /** Number of buckets in {@link #buckets}, about 50 bytes each. */
    static final int NAMED_MAX = 10_000;

    private static final byte[] NOTHING = {};

    private final Cube cube;
    private final InstantSource clock;
    private final ProvenanceSettings settings;

    /** Empty while signatures are off. */
    private final Optional<StoreKeys> keys;

    private final ChainBegins begins;
    private final EntryRows rows;
    private final Optional<Statements> statements;
    private final Concealment concealment;
    private final StoreSettings own;
    private final LongAdder entries = new LongAdder();
    private final LongAdder signatures = new LongAdder();
    private final AtomicLong shreds = new AtomicLong();
    private final Distribution signing = Distribution.ofNanos();
    private final AtomicReferenceArray<ChainBuilder> kept = new AtomicReferenceArray<>(KEPT);

    /** Some buckets whose name is in the store. */
    private final Set<Long> buckets = ConcurrentHashMap.newKeySet();

    private ProvenanceLog(
            Cube cube, InstantSource clock, ProvenanceSettings settings, Optional<StoreKeys> keys) {
        this.cube = cube;
        this.clock = clock;
        this.settings = settings;
        this.keys = keys;
        begins = new ChainBegins(cube);
        rows = new EntryRows(cube, begins);
        statements = keys.map(each -> new Statements(each, clock));
        concealment = new Concealment(settings.confidentiality(), settings.random());
        own = new StoreSettings(cube, this, settings);
    }

    /**
     * Opens the provenance of a store, if its options have one; from here on its commits can have
     * notes. First records the settings if they differ from those of the last start. When they turn
     * signatures off, this is the last commit with an entry; from here on the keys that change are
     * marked.
     */
    public static Optional<ProvenanceLog> open(StoreOptions options) throws IOException {
        if (options.provenance().isEmpty()) {
            return Optional.empty();
        }
        Cube cube = options.cube();
        ProvenanceSettings settings = options.provenance().get();
        boolean wasOff = last(cube).filter(last -> !last.areSigned()).isPresent();
        if (settings.isOn() || !wasOff) {
            Optional<ProvenanceLog> log =
                    StoreKeys.open(cube, settings)
                            .map(keys -> of(cube, options.clock(), settings, Optional.of(keys)));
            if (log.isPresent()) {
                cube.sealWith(log.get());
                if (cube.state() == CubeState.HEALTHY) {
                    log.get().own.record();
                } else {
                    boolean unused = log.get().own.requireChain();
                }
            }
            if (settings.isOn()) {
                return log;
            }
        }
        boolean marks = last(cube).filter(SignedSettings::areUnsignedChangesNamed).isPresent();
        return marks
                ? Optional.of(of(cube, options.clock(), settings, Optional.empty()))
                : Optional.empty();
    }

    private static ProvenanceLog of(
            Cube cube, InstantSource clock, ProvenanceSettings settings, Optional<StoreKeys> keys) {
        return new ProvenanceLog(cube, clock, settings, keys);
    }

    /** Returns the settings of the last start that changed them. */
    private static Optional<SignedSettings> last(Cube cube) {
        return StoreSettings.last(new EntryRows(cube, new ChainBegins(cube)));
    }

    /** Returns whether changes have signed entries; otherwise their keys are marked. */
    public boolean isSigning() {
        return keys.isPresent();
    }

    /** Adds the mark of a key that changes without an entry to the commit. */
    void mark(Transaction transaction, BucketInfo bucket, ObjectKey key) {
        UnsignedChanges.mark(cube, transaction, bucket, key);
    }

    /** Returns the writer of the store's own chain; empty while signatures are off. */
    public static Optional<StoreSettings> settings(Optional<ProvenanceLog> log) {
        return log.filter(ProvenanceLog::isSigning).map(each -> each.own);
    }

    /** Returns a recorder for one commit of this caller. */
    public ProvenanceRecorder recorder(Caller caller) {
        return new ProvenanceRecorder(this, caller, clock);
    }

    @Override
    public int bytesMax() {
        return SEAL_BYTES_MAX;
    }

    @Override
    public int noteBytesMax() {
        return Hash.BYTES;
    }

    @Override
    public Transaction seal(List<byte[]> notes, long sequence) {
        List<Hash> links = notes.stream().map(Hash::of).toList();
        BatchTree tree = new BatchTree(links);
        BatchSigner signer = keys().signer();
        Instant begun = clock.instant();
        BatchRow row = new BatchRow(signer.sign(keys().storeId(), tree), links);
        signing.record(Duration.between(begun, clock.instant()).toNanos());
        signatures.add(signer.ids().size());
        return new Transaction()
                .putNew(BATCHES, RowKeys.number(sequence), NOTHING, row.encode(), List.of());
    }

    /** Returns the signing keys. Call it only while this log signs. */
    public StoreKeys keys() {
        return keys.orElseThrow();
    }

    Statements statements() {
        return statements.orElseThrow();
    }

    public ChainBegins begins() {
        return begins;
    }

    Concealment concealment() {
        return concealment;
    }

    public EntryRows rows() {
        return rows;
    }

    /** Returns milliseconds since 1970, by the clock that dates entries. */
    long now() {
        return clock.millis();
    }

    /** Returns the erasure secrets of a key that signed shreds destroyed. */
    public SortedSet<Long> erased(BucketInfo bucket, ObjectKey key) throws IOException {
        return isSigning() ? rows.erased(bucket.id(), key).named() : Collections.emptySortedSet();
    }

    /**
     * Returns whether versions of a key were shredded by an older program, whose entry does not
     * name what it destroyed. The caller holds the lock of the key.
     *
     * @return tests the number of a version
     */
    public LongPredicate unnamedShreds(BucketInfo bucket, ObjectKey key) throws IOException {
        Optional<EntryRows.Found> last =
                isSigning() ? rows.last(bucket.id(), key) : Optional.empty();
        if (last.isEmpty()) {
            return version -> false;
        }
        ErasedSecrets erased = rows.erased(bucket.id(), key);
        if (!erased.hasUnnamedBehind(-1)) {
            return version -> false;
        }
        return version ->
                rows.ofVersion(bucket.id(), key, version, last.get())
                        .filter(made -> erased.hasUnnamedBehind(made.sequence()))
                        .isPresent();
    }

    /** Returns the number of shreds that were recorded since the start. */
    public long shreds() {
        return shreds.get();
    }

    /** Counts a shred whose entry is durable. */
    void shredded() {
        shreds.incrementAndGet();
    }

    long lastSequence() {
        return cube.lastSequence();
    }

    /** Returns the identity of the chain of a key. */
    ChainIdentity identity(BucketInfo bucket, ObjectKey key) {
        return new ChainIdentity(
                keys().storeId(), bucket.id(), bucket.name().value(), Bytes.of(key.utf8()));
    }

    /** Counts durable entries. */
    void recorded(int count) {
        entries.add(count);
    }

    /** Returns counters since start. */
    public ProvenanceStats stats() {
        Distribution.Counts times = signing.counts();
        return new ProvenanceStats(entries.sum(), times.total(), signatures.sum(), times);
    }

    /** Returns whether a bucket's name is in the store. */
    boolean isNamed(long bucketId) {
        if (buckets.contains(bucketId)) {
            return true;
        }
        boolean isThere = cube.get(CHAIN_BUCKETS, RowKeys.number(bucketId)).isPresent();
        if (isThere) {
            named(Set.of(bucketId));
        }
        return isThere;
    }

    /**
     * Adds a bucket's name to the commit. It is kept permanently, because chains outlive their
     * bucket.
     */
    static void name(BucketInfo bucket, Transaction transaction) {
        transaction.put(
                CHAIN_BUCKETS,
                RowKeys.number(bucket.id()),
                bucket.name().value().getBytes(StandardCharsets.UTF_8),
                NOTHING,
                List.of());
    }

    /** Marks the names of buckets as durable. */
    void named(Set<Long> bucketIds) {
        if (buckets.size() >= NAMED_MAX) {
            buckets.clear();
        }
        buckets.addAll(bucketIds);
    }

    /**
     * Takes the end of a chain, to append to it. Return it with {@link #keep} when the commit is
     * durable.
     */
    ChainBuilder take(BucketInfo bucket, ObjectKey key) throws IOException {
        ChainIdentity identity = identity(bucket, key);
        int slot = slot(identity);
        ChainBuilder known = kept.get(slot);
        if (known != null
                && known.identity().equals(identity)
                && kept.compareAndSet(slot, known, null)) {
            return known;
        }
        Optional<EntryRows.Found> last = rows.last(bucket.id(), key);
        if (last.isEmpty()) {
            return new ChainBuilder(identity, settings.shape());
        }
        EntryRow row = last.get().row();
        return ChainBuilder.resume(
                identity,
                row.shape(),
                row.tip(last.get().sequence(), last.get().record().sequence()),
                sequence -> rows.links(bucket.id(), key, sequence));
    }

    /** Caches the end of a chain with several entries. Most keys are written once. */
    void keep(ChainBuilder builder) {
        if (builder.nextSequence() > 1) {
            kept.set(slot(builder.identity()), builder);
        }
    }

    private static int slot(ChainIdentity identity) {
        int hash = identity.key().hashCode() * 31 + Long.hashCode(identity.bucketId());
        return (hash ^ hash >>> 16) & KEPT - 1;
    }
}
