package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;
import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.event.Membership;
import io.volute.versioning.provenance.StoreSettings;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The buckets, all in memory without their texts, so that no request reads the index for one.
 * Thread-safe.
 */
public final class BucketDirectory {
    private static final byte[] OPEN_END = {};

    private final Cube cube;
    private final LongSupplier ids;
    private final InstantSource clock;
    private final int bucketsMax;
    private final Uploads uploads;
    private final BucketWrites writes;
    private final HistoryPolicy policy;
    private final BucketRows rows;
    private final PastExactness exactness;
    private final BucketChanges settings;
    private final ConcurrentNavigableMap<BucketName, BucketEntry> entries =
            new ConcurrentSkipListMap<>();

    /** Held while the list of buckets changes. */
    private final ReentrantLock changes = new ReentrantLock();

    /**
     * Loads the buckets.
     *
     * @param hidden records the hidden fields of buckets; empty without provenance
     */
    public BucketDirectory(
            StoreOptions options,
            Membership membership,
            Uploads uploads,
            Optional<StoreSettings> hidden) {
        this.cube = options.cube();
        this.ids = membership.ids(cube);
        this.clock = options.clock();
        this.bucketsMax = options.limits().bucketsMax();
        this.uploads = uploads;
        this.writes = new BucketWrites(cube, hidden);
        this.policy = options.history().policy();
        this.rows = new BucketRows(cube, policy);
        this.exactness = new PastExactness(cube, rows, options.history().resolution());
        this.settings = new BucketChanges(this::require, writes, rows, exactness);
        try (RecordCursor cursor = cube.scan(BUCKETS, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                BucketInfo info = rows.decode(BUCKETS, cursor.key(), cursor.record());
                entries.put(info.name(), new BucketEntry(info));
            }
        }
    }

    /** Returns the present and past rows of buckets. */
    public BucketRows rows() {
        return rows;
    }

    /** Returns the changes of the settings of buckets. */
    public BucketChanges settings() {
        return settings;
    }

    /**
     * Starts exactness at the instants of the configured resolution. Call it before the first
     * write.
     */
    public void beginExactness() {
        exactness.begin();
    }

    /**
     * Returns a present bucket.
     *
     * @throws StoreException NO_SUCH_BUCKET, also when the name has another bucket by now
     */
    public BucketEntry require(BucketRef bucket) {
        return entry(bucket.name())
                .filter(entry -> bucket.means(entry.id()))
                .orElseThrow(() -> StoreException.noSuchBucket(bucket.name()));
    }

    /**
     * Returns the bucket that has a key.
     *
     * @throws StoreException NO_SUCH_BUCKET, also when the key is in another cube
     */
    public BucketEntry require(BucketRef bucket, ObjectKey key) {
        BucketEntry entry = require(bucket);
        if (!entry.range().contains(key)) {
            throw StoreException.noSuchBucket(bucket.name());
        }
        return entry;
    }

    /** Returns the bucket that has the keys of all targets, as {@link #require} does. */
    public BucketEntry requireAll(BucketRef bucket, List<DeleteTarget> targets) {
        BucketEntry entry = require(bucket);
        targets.forEach(target -> require(bucket, target.key()));
        return entry;
    }

    /** Returns the keys of a present or past bucket that may be in this cube. */
    public KeyRange rangeOf(BucketInfo bucket) {
        return entry(bucket.name())
                .filter(entry -> entry.id() == bucket.id())
                .map(BucketEntry::range)
                .orElse(KeyRange.ALL);
    }

    public Optional<BucketEntry> entry(BucketName name) {
        return Optional.ofNullable(entries.get(name));
    }

    public Optional<BucketInfo> find(BucketName name) {
        return Optional.ofNullable(entries.get(name)).map(BucketEntry::info);
    }

    public BucketInfo create(
            Caller caller, BucketName name, boolean locking, Map<BucketDocument, String> documents)
            throws IOException {
        changes.lock();
        try {
            find(name).ifPresent(existing -> refuseExisting(existing, caller));
            if (entries.size() >= bucketsMax) {
                throw new StoreException(
                        Reason.TOO_MANY_BUCKETS, "there are " + bucketsMax + " buckets already");
            }
            BucketInfo info =
                    new BucketInfo(
                                    ids.getAsLong(),
                                    name,
                                    caller.principal(),
                                    clock.instant().truncatedTo(ChronoUnit.MILLIS),
                                    VersioningState.UNVERSIONED,
                                    policy)
                            .with(documents);
            if (locking) {
                info = info.with(VersioningState.ENABLED).with(BucketLock.PLAIN);
            }
            rows.requireFit(0, info);
            WriteBatch batch = new WriteBatch(cube);
            BucketWrites.put(batch, info);
            batch.commit();
            BucketInfo stored = rows.present(name).orElseThrow();
            entries.put(name, new BucketEntry(stored));
            return stored;
        } finally {
            changes.unlock();
        }
    }

    public List<BucketInfo> list(Optional<String> owner, String prefix, String after, int max) {
        return list(entries.keySet(), this::find, owner, prefix, after, max);
    }

    private static List<BucketInfo> list(
            SortedSet<BucketName> names,
            Function<BucketName, Optional<BucketInfo>> infoOf,
            Optional<String> owner,
            String prefix,
            String after,
            int max) {
        return names.stream()
                .filter(name -> name.value().startsWith(prefix))
                .filter(name -> name.value().compareTo(after) > 0)
                .flatMap(name -> infoOf.apply(name).stream())
                .filter(info -> owner.isEmpty() || owner.get().equals(info.owner()))
                .limit(max)
                .toList();
    }

    /** Returns the bucket with this name, or the last bucket that had it. */
    public Optional<BucketInfo> findLast(BucketName name) {
        return find(name).or(() -> rows.past(name, past -> true).map(BucketRows.PastRow::info));
    }

    /** Returns the names of all known buckets by id, including deleted ones. */
    public Map<Long, String> namesById() {
        Map<Long, String> names = new HashMap<>();
        try (RecordCursor cursor = cube.scan(BUCKET_HISTORY, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                BucketInfo info = rows.past(cursor).info();
                names.put(info.id(), info.name().value());
            }
        }
        entries.values().forEach(entry -> names.put(entry.id(), entry.info().name().value()));
        return names;
    }

    /** Returns the buckets that existed when all commits up to a sequence were visible. */
    public List<BucketInfo> list(
            Optional<String> owner, String prefix, String after, int max, long sequence) {
        SortedSet<BucketName> names = new TreeSet<>(entries.keySet());
        try (RecordCursor cursor = cube.scan(BUCKET_HISTORY, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                names.add(RowKeys.bucketOfHistory(cursor.key()));
            }
        }
        Function<BucketName, Optional<BucketInfo>> then =
                name -> find(name, sequence).map(PastBucket::info);
        return list(names, then, owner, prefix, after, max);
    }

    public void delete(BucketRef bucket) throws IOException {
        changes.lock();
        try {
            BucketEntry entry = require(bucket);
            try (ScopedHold excluded = excludeEmpty(entry)) {
                remove(entry);
            }
        } finally {
            changes.unlock();
        }
    }

    /**
     * Keeps the writers of an empty bucket out.
     *
     * @throws StoreException BUCKET_NOT_EMPTY
     */
    public ScopedHold excludeEmpty(BucketEntry entry) {
        ScopedHold excluded = entry.exclude();
        if (rows.hasRows(CURRENT, entry) || rows.hasRows(VERSIONS, entry)) {
            excluded.close();
            throw new StoreException(
                    Reason.BUCKET_NOT_EMPTY,
                    "bucket " + entry.info().name().value() + " holds versions or delete markers");
        }
        return excluded;
    }

    /** Removes an empty bucket and its uploads. The caller excludes its writers. */
    public void remove(BucketEntry entry) throws IOException {
        BucketName name = entry.info().name();
        // After a crash here the bucket is empty and has no uploads.
        uploads.abortAll(entry);
        WriteBatch batch = new WriteBatch(cube).makingRoom();
        BucketWrites.keepPast(batch, name);
        batch.delete(BUCKETS, RowKeys.bucket(name));
        batch.commit();
        disown(entry);
    }

    /** Removes the past of deleted buckets; see {@link BucketWrites#forget}. */
    public void forget(long sequence) throws IOException {
        // First, so that a bucket deleted meanwhile counts as present.
        Set<Long> present =
                entries.values().stream().map(BucketEntry::id).collect(Collectors.toSet());
        writes.forget(sequence, present, rows);
    }

    /**
     * Prepares a bucket, or a range of its keys, that moves into this cube. Its rows are there.
     *
     * @return adds the bucket, without reading or writing
     */
    public Runnable adoption(BucketName name, KeyRange range) {
        BucketEntry entry = new BucketEntry(rows.present(name).orElseThrow(), range);
        return () -> entries.put(name, entry);
    }

    /**
     * Leaves this cube a range of the keys that it has of a bucket. Waiting requests get
     * NO_SUCH_BUCKET. The caller excludes the writers, unless the cube does not serve yet.
     */
    public void restrict(BucketName name, KeyRange range) {
        entry(name)
                .ifPresent(
                        before -> {
                            entries.put(name, new BucketEntry(before.info(), range));
                            before.markDeleted();
                        });
    }

    /** Removes a bucket that moved out of this cube, or not into it. */
    public void disown(BucketEntry entry) {
        entry.markDeleted();
        entries.remove(entry.info().name(), entry);
    }

    /** Waits until all running writers have ended. */
    public void awaitWriters() {
        changes.lock();
        try {
            entries.values().forEach(BucketEntry::awaitWriters);
        } finally {
            changes.unlock();
        }
    }

    /**
     * A bucket that existed at an instant.
     *
     * @param entry the present entry of the bucket; a new one if the bucket was deleted
     * @param info its settings of that time
     */
    public record PastBucket(BucketEntry entry, BucketInfo info) {}

    /** Returns the bucket that had this name when all commits up to a sequence were visible. */
    public Optional<PastBucket> find(BucketName name, long sequence) {
        Optional<StoredRecord> now = cube.get(BUCKETS, RowKeys.bucket(name));
        if (now.isPresent() && now.get().sequence() <= sequence) {
            return Optional.of(past(rows.decode(BUCKETS, RowKeys.bucket(name), now.get())));
        }
        // A record of the past has the sequence of the commit that ended it.
        return rows.past(name, sequence)
                .filter(past -> past.ended() > sequence)
                .map(past -> past(past.info()));
    }

    /**
     * Returns the bucket that {@link #find(BucketName, long)} finds.
     *
     * @throws StoreException NO_SUCH_BUCKET when there was none, or another one
     */
    public BucketEntry requirePast(BucketRef bucket, long sequence) {
        return find(bucket.name(), sequence)
                .map(PastBucket::entry)
                .filter(entry -> bucket.means(entry.id()))
                .orElseThrow(() -> StoreException.noSuchBucket(bucket.name()));
    }

    private PastBucket past(BucketInfo info) {
        BucketEntry entry = entries.get(info.name());
        boolean isSame = entry != null && entry.id() == info.id();
        return new PastBucket(isSame ? entry : new BucketEntry(info), info);
    }

    private static void refuseExisting(BucketInfo existing, Caller caller) {
        boolean own = existing.owner().equals(caller.principal());
        throw new StoreException(
                own ? Reason.BUCKET_OWNED_BY_CALLER : Reason.BUCKET_OWNED_BY_OTHER,
                "bucket " + existing.name().value() + " exists already");
    }
}
