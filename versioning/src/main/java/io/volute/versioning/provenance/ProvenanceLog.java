package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;

import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainIdentity;
import io.volute.storage.BatchSeal;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.Transaction;
import io.volute.storage.report.Distribution;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.Caller;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.rows.BatchRow;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes the chains of all keys: entries in the commits that they tell of, one signature over all
 * that share a force. Thread-safe; each key is used under its lock.
 */
public final class ProvenanceLog implements BatchSeal {
    /** For signatures of all algorithms that there are. */
    private static final int SEAL_BYTES_MAX = 16 << 10;

    /** Ends of chains that are kept in memory: some KiB each at most. */
    private static final int KEPT = 1 << 12;

    private static final byte[] NOTHING = {};

    private final Cube cube;
    private final InstantSource clock;
    private final ProvenanceSettings settings;
    private final StoreKeys keys;
    private final ChainBegins begins;
    private final EntryRows rows;
    private final Statements statements;
    private final Concealment concealment;
    private final StoreSettings own;
    private final LongAdder entries = new LongAdder();
    private final LongAdder signatures = new LongAdder();
    private final Distribution signing = Distribution.ofNanos();
    private final AtomicReferenceArray<ChainBuilder> kept = new AtomicReferenceArray<>(KEPT);

    /** Buckets whose name is written down. */
    private final Set<Long> buckets = ConcurrentHashMap.newKeySet();

    private ProvenanceLog(
            Cube cube, InstantSource clock, ProvenanceSettings settings, StoreKeys keys) {
        this.cube = cube;
        this.clock = clock;
        this.settings = settings;
        this.keys = keys;
        begins = new ChainBegins(cube);
        rows = new EntryRows(cube, begins);
        statements = new Statements(keys, clock);
        concealment = new Concealment(settings.confidentiality(), settings.random());
        own = new StoreSettings(cube, this, settings);
    }

    /**
     * Opens the provenance of a store, if its options say so; from here on its commits can have
     * notes. Settings that differ from those of the last start are recorded first, with signatures
     * turned off too: then that is the last commit that has an entry.
     */
    public static Optional<ProvenanceLog> open(StoreOptions options) throws IOException {
        if (options.provenance().isEmpty()) {
            return Optional.empty();
        }
        Cube cube = options.cube();
        ProvenanceSettings settings = options.provenance().get();
        if (!settings.isOn() && isOff(cube)) {
            return Optional.empty();
        }
        Optional<ProvenanceLog> log =
                StoreKeys.open(cube, settings)
                        .map(keys -> new ProvenanceLog(cube, options.clock(), settings, keys));
        if (log.isPresent()) {
            cube.sealWith(log.get());
            if (cube.state() == CubeState.HEALTHY) {
                log.get().own.record();
            }
        }
        return log.filter(each -> settings.isOn());
    }

    /** Whether signatures were off when the store was opened the last time. */
    private static boolean isOff(Cube cube) {
        return StoreSettings.last(new EntryRows(cube, new ChainBegins(cube)))
                .filter(last -> !last.areSigned())
                .isPresent();
    }

    /** The store's own chain. */
    public StoreSettings settings() {
        return own;
    }

    /** What a commit of this caller does, to be told in it. */
    public Deeds deeds(Caller caller) {
        return new Deeds(this, caller, clock);
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
        BatchSigner signer = keys.signer();
        Instant begun = clock.instant();
        BatchRow row = new BatchRow(signer.sign(keys.storeId(), tree), links);
        signing.record(Duration.between(begun, clock.instant()).toNanos());
        signatures.add(signer.ids().size());
        return new Transaction()
                .putNew(BATCHES, RowKeys.number(sequence), NOTHING, row.encode(), List.of());
    }

    public StoreKeys keys() {
        return keys;
    }

    Statements statements() {
        return statements;
    }

    ChainBegins begins() {
        return begins;
    }

    Concealment concealment() {
        return concealment;
    }

    EntryRows rows() {
        return rows;
    }

    /** Milliseconds since 1970, by the clock that dates entries. */
    long now() {
        return clock.millis();
    }

    long lastSequence() {
        return cube.lastSequence();
    }

    /** Whose history the chain of a key is. */
    ChainIdentity identity(BucketInfo bucket, ObjectKey key) {
        return new ChainIdentity(
                keys.storeId(), bucket.id(), bucket.name().value(), Bytes.of(key.utf8()));
    }

    /** So many entries are durable. */
    void told(int count) {
        entries.add(count);
    }

    /** What was done since start. */
    public ProvenanceStats stats() {
        Distribution.Counts times = signing.counts();
        return new ProvenanceStats(entries.sum(), times.total(), signatures.sum(), times);
    }

    /** Whether a bucket's name is written down. */
    boolean isNamed(long bucketId) {
        if (buckets.contains(bucketId)) {
            return true;
        }
        boolean isThere = cube.get(CHAIN_BUCKETS, RowKeys.number(bucketId)).isPresent();
        if (isThere) {
            buckets.add(bucketId);
        }
        return isThere;
    }

    /** Writes a bucket's name down for good, for chains outlive their bucket. */
    static void name(BucketInfo bucket, Transaction transaction) {
        transaction.put(
                CHAIN_BUCKETS,
                RowKeys.number(bucket.id()),
                bucket.name().value().getBytes(StandardCharsets.UTF_8),
                NOTHING,
                List.of());
    }

    /** These names are durable. */
    void named(Set<Long> bucketIds) {
        buckets.addAll(bucketIds);
    }

    /** The end of a chain, to append to; given back with {@link #keep} when that is durable. */
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

    /** Most keys are written once: only who comes back is worth its memory. */
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
