package io.volute.storage.cube;

import io.volute.storage.BatchSeal;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.SpaceGiver;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.accounting.ActiveUploads;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.blob.BlobOpener;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.blob.DetailReader;
import io.volute.storage.blob.HeadOrStreamWriter;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.check.CubeCheck;
import io.volute.storage.check.StretchSearch;
import io.volute.storage.cleaning.Cleaner;
import io.volute.storage.cleaning.Compactor;
import io.volute.storage.cleaning.CubeCleaning;
import io.volute.storage.commit.BatchPlanner;
import io.volute.storage.commit.CommitOrder;
import io.volute.storage.commit.GroupCommit;
import io.volute.storage.commit.IndexFlusher;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.commit.RelocationWriter;
import io.volute.storage.commit.SpaceRefusal;
import io.volute.storage.commit.StorageWriter;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.ledger.FencedException;
import io.volute.storage.recovery.LogRecovery;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.WorkStats;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import io.volute.storage.rows.SnapshotCursor;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

/**
 * A cube over a segment log and an index, which it owns. Reads run on the caller's thread, commits
 * on one thread, index flushes on another.
 */
public final class LogCube implements Cube {
    /** The environment of a cube. */
    record Environment(
            LogSettings settings,
            MemorySettings memory,
            CubeOpener.Metering metering,
            CubeThreads threads,
            CommitOrder order,
            InstantSource clock) {}

    private final CubeStorage storage;
    private final Environment environment;
    private final RecoveryReport report;
    private final CubeHealth health = new CubeHealth();
    private final AtomicLong ids;
    private final DetailReader details;
    private final CubeImages images;
    private final BlobOpener blobs;
    private final GroupCommit commits;
    private final IndexFlusher flusher;
    private final CubeCleaning cleaning;
    private final AtomicBoolean closing = new AtomicBoolean();

    LogCube(SegmentLog log, LogRecovery.Recovered recovered, Environment environment) {
        this.environment = environment;
        this.report = recovered.report();
        this.ids = new AtomicLong(recovered.state().idHighWater());
        LogSettings settings = environment.settings();
        CubeThreads threads = environment.threads();
        CubeIndex index = recovered.index();
        log.reserveForOthers(index::neededBytes);
        this.storage =
                new CubeStorage(
                        log, index, recovered.accounts(), new ActiveUploads(log, this::abandoned));

        this.details = new DetailReader(log, index);
        this.images = new CubeImages(environment.memory(), threads);
        this.blobs = new BlobOpener(log, index, images);

        environment.order().passed(recovered.state().nextSequence() - 1);
        RecentChanges changes = new RecentChanges();
        RelocationWriter relocations = new RelocationWriter(index, health, threads);
        this.commits =
                new GroupCommit(
                        new BatchPlanner(log, index, ids::get, environment.clock()),
                        new StorageWriter(
                                storage, relocations, changes, images, ids::get, recovered.state()),
                        environment.order(),
                        health,
                        environment.metering().nanos(),
                        threads);
        this.flusher = new IndexFlusher(storage, commits, health, settings, threads);
        this.cleaning =
                new CubeCleaning(
                        storage, commits, flusher, changes, blobs.lookups(), health, settings);
        if (!recovered.isWritable()) {
            health.readOnly("damage was accepted at start: " + String.join("; ", report.damages()));
        }
    }

    /** Starts the threads. */
    void start() {
        storage.accounts().liveness().begin(storage.log().nextSegmentId());
        images.start();
        commits.start(new Follower());
        flusher.start();
        cleaning.start(environment.threads());
        // Space that was dead, or never committed, before the last stop becomes free again.
        flusher.requestIfAnyDead();
    }

    @Override
    public long allocateId() {
        return ids.incrementAndGet();
    }

    @Override
    public void passId(long id) {
        long unused = ids.accumulateAndGet(id, Math::max);
    }

    @Override
    public void requireServing() throws CubeUnavailableException {
        if (state() == CubeState.CLOSED) {
            throw health.unavailable();
        }
        try {
            storage.log().requireOwned();
        } catch (FencedException e) {
            health.lost(e.getMessage());
            throw health.unavailable();
        } catch (IOException e) {
            throw new CubeUnavailableException(
                    CubeUnavailableException.Reason.NOT_OPEN,
                    "whether another server has taken the cube over is unknown: " + e.getMessage());
        }
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        return storage.index().record(family, key).map(RecordRow::toStored);
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        return details.read(family, key, record);
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        return new SnapshotCursor(storage.index().records(family, from, to));
    }

    @Override
    public BlobWriter newBlob(OptionalLong expectedBytes) throws IOException {
        health.requireWritable();
        cleaning.gate().admit(SegmentLog.SpacePriority.CLIENT);
        return new HeadOrStreamWriter(
                new BlobId(allocateId()),
                storage.uploads(),
                expectedBytes,
                environment.settings().inlineLimitBytes(),
                this::streamFailed,
                this);
    }

    /** Passes commits on to the flusher and the cleaning. */
    private final class Follower implements GroupCommit.CommitListener {
        @Override
        public void committed(long bytes, int emptiedSegments) {
            flusher.committed(bytes, emptiedSegments);
            cleaning.monitor().committed(bytes);
        }

        @Override
        public SpaceRefusal refuse(CubeUnavailableException full) {
            return cleaning.gate().refuse(full);
        }
    }

    private IOException streamFailed(IOException e) {
        if (e instanceof CubeUnavailableException full && full.leavesLogAsItWas()) {
            return cleaning.gate().refuse(full).error();
        }
        health.failed("a stream segment could not be written", e);
        return e;
    }

    private void abandoned(long bytes) {
        flusher.abandoned(bytes);
    }

    @Override
    public BlobReader openBlob(BlobId blob) throws IOException {
        return blobs.open(blob);
    }

    @Override
    public long transactionBytesMax() {
        return commits.transactionBytesMax();
    }

    @Override
    public void sealWith(BatchSeal seal) {
        commits.sealWith(seal);
    }

    @Override
    public long lastSequence() {
        return commits.state().nextSequence() - 1;
    }

    @Override
    public CompletableFuture<Long> commit(Transaction transaction) {
        List<StagedBlob> staged = new ArrayList<>();
        try {
            if (closing.get()) {
                throw health.closing();
            }
            health.requireWritable();
            cleaning.gate().admit(transaction);
            long inlineLimit = environment.settings().inlineLimitBytes();
            long streamed = 0;
            for (Transaction.Change change : transaction.changes()) {
                if (change instanceof Transaction.AddBlob add) {
                    StagedBlob blob = StagedBlob.of(add.blob());
                    blob.beginCommit(this);
                    staged.add(blob);
                    streamed += blob.bytes() > inlineLimit ? blob.bytes() : 0;
                }
            }
            cleaning.monitor().written(streamed);
        } catch (IOException | IllegalArgumentException e) {
            staged.forEach(blob -> blob.endCommit(StagedBlob.CommitEnd.REFUSED));
            return CompletableFuture.failedFuture(e);
        }
        return commits.submit(transaction, staged);
    }

    @Override
    public CubeState state() {
        return health.state();
    }

    @Override
    public SpaceReport space() {
        return cleaning.view().report();
    }

    @Override
    public SpaceReport spaceAtGlance() {
        return cleaning.view().atGlance();
    }

    @Override
    public CubeStats stats() {
        SegmentLog.LogCounters counters = storage.log().counters();
        return new CubeStats(
                commits.commits(),
                counters.batches(),
                counters.streamForces(),
                environment.metering().written().get(),
                counters.damages() + details.damages(),
                images.stats(),
                new WorkStats(
                        commits.figures(),
                        environment.metering().forces().get(),
                        cleaning.decisions().byReason(),
                        cleaning.compactor().punchedBytes(),
                        cleaning.gate().waits(),
                        cleaning.gate().refused(),
                        storage.index().stats()));
    }

    @Override
    public long clean(Cleaning level) throws IOException {
        health.requireWritable();
        return switch (level) {
            case COMPACT -> cleaning.compactNow();
            case COMBINED -> cleaning.combineNow();
        };
    }

    @Override
    public LogSnapshot snapshot() throws IOException {
        health.requireWritable();
        return storage.log().snapshot();
    }

    @Override
    public Pause pauseCommits() {
        Lock none = environment.order().noBatches();
        none.lock();
        return none::unlock;
    }

    @Override
    public void whenShort(SpaceGiver giver) {
        cleaning.gate().whenShort(giver);
    }

    @Override
    public CheckReport check(long bytesPerSecond, CheckReport.Watch watch, Optional<Set<Long>> some)
            throws IOException {
        CheckReport.Watch orClosing = progress -> !closing.get() && watch.goesOn(progress);
        try {
            CheckReport found =
                    new CubeCheck(storage, blobs.lookups(), bytesPerSecond, orClosing).run(some);
            if (!closing.get()) {
                return found;
            }
        } catch (IllegalStateException | IOException e) {
            if (!closing.get()) {
                throw e;
            }
        }
        throw health.closing();
    }

    public Cleaner cleaner() {
        return cleaning.cleaner();
    }

    @Override
    public RecordRepair repair(int family, byte[] key) throws IOException {
        return StretchSearch.of(storage, blobs.lookups(), new RecordKey(family, key));
    }

    /** Returns the compactor, for tests. */
    public Compactor compactor() {
        return cleaning.compactor();
    }

    /** Flushes the index, and returns when the segments are free that this flush sets free. */
    public void flushIndex() throws IOException {
        flusher.flush().join();
    }

    public RecoveryReport report() {
        return report;
    }

    /** Returns the typed index, for tests. */
    CubeIndex index() {
        return storage.index();
    }

    @Override
    public void close() throws IOException {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        cleaning.stop();
        commits.stop();
        flusher.stop();
        images.close();
        boolean isSound = health.isHealthy();
        health.close();
        try (SegmentLog closedLast = storage.log();
                CubeIndex closedFirst = storage.index()) {
            if (isSound) {
                IndexState last = commits.state();
                // Includes ids that no commit has written to the log: a clean start leaves no gap.
                closedFirst.flushAtEnd(
                        new IndexState(last.position(), last.nextSequence(), ids.get()));
            }
        }
    }
}
