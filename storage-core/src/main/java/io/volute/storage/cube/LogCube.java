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
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.blob.BlobOpening;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.blob.HeadOrStreamWriter;
import io.volute.storage.blob.RecordDetails;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.check.CubeCheck;
import io.volute.storage.cleaning.Balancer;
import io.volute.storage.cleaning.Cleaner;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.cleaning.Compactor;
import io.volute.storage.cleaning.SpaceFigures;
import io.volute.storage.cleaning.SpaceKeeper;
import io.volute.storage.cleaning.SpaceView;
import io.volute.storage.commit.CommitMeter;
import io.volute.storage.commit.CommitQueue;
import io.volute.storage.commit.GroupCommit;
import io.volute.storage.commit.IndexFlusher;
import io.volute.storage.commit.NoRoom;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.recovery.LogRecovery;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.CubeWork;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.storage.rows.RecordRow;
import io.volute.storage.rows.SnapshotCursor;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cube over a segment log and an index. Owns both. Reads run on the caller's thread, commits on
 * one thread, index flushes on another.
 */
public final class LogCube implements Cube {
    /** What a cube is made of besides its log. */
    record Environment(
            LogSettings settings,
            MemorySettings memory,
            CubeOpening.Metering metering,
            CubeThreads threads,
            InstantSource clock) {}

    private final SegmentLog log;
    private final CubeIndex index;
    private final SegmentAccounts accounts;
    private final Environment environment;
    private final RecoveryReport report;
    private final CubeHealth health = new CubeHealth();
    private final AtomicLong ids;
    private final RecordDetails details;
    private final ActiveUploads uploads;
    private final CubeImages images;
    private final BlobOpening blobs;
    private final Compactor compactor;
    private final CommitMeter meter;
    private final GroupCommit commits;
    private final IndexFlusher flusher;
    private final Cleaner cleaner;
    private final SpaceFigures figures;
    private final SpaceKeeper keeper;
    private final SpaceView space;
    private final AtomicBoolean closing = new AtomicBoolean();

    LogCube(SegmentLog log, LogRecovery.Recovered recovered, Environment environment) {
        this.log = log;
        this.index = recovered.index();
        log.leaveAlone(index::neededBytes);
        this.accounts = recovered.accounts();
        this.environment = environment;
        this.report = recovered.report();
        this.ids = new AtomicLong(recovered.state().idHighWater());
        this.details = new RecordDetails(log, index);
        this.uploads = new ActiveUploads(log, this::abandoned);
        this.images = new CubeImages(environment.memory(), environment.threads());
        this.blobs = new BlobOpening(log, index, images);
        SegmentRelease release = new SegmentRelease(log, index, accounts, uploads);
        this.compactor =
                new Compactor(
                        new Compactor.Parts(
                                log,
                                index,
                                accounts,
                                uploads,
                                blobs.lookups(),
                                release::isMoving,
                                health));
        RecentChanges changes = new RecentChanges();
        this.meter = new CommitMeter(environment.metering().nanos());
        this.commits =
                new GroupCommit(
                        new GroupCommit.Parts(
                                log,
                                index,
                                accounts,
                                release,
                                health,
                                ids::get,
                                images,
                                changes,
                                environment.clock(),
                                new CommitQueue(environment.metering().nanos()),
                                meter),
                        recovered.state(),
                        environment.threads());
        this.flusher =
                new IndexFlusher(
                        index,
                        () -> release.candidates(commits.applied()),
                        commits::free,
                        health,
                        new IndexFlusher.FlushLimits(
                                environment.settings().indexFlushLogBytes(),
                                environment.settings().segmentBytes()),
                        meter::commits,
                        environment.threads());
        this.cleaner =
                new Cleaner(
                        new Cleaner.Parts(
                                log,
                                index,
                                changes,
                                accounts,
                                release,
                                commits::relocate,
                                flusher,
                                commits::applied,
                                environment.settings().segmentBytes(),
                                environment.settings().cleaning()));
        this.figures = new SpaceFigures(log, accounts, compactor, environment.settings());
        this.keeper =
                new SpaceKeeper(
                        new SpaceKeeper.Parts(
                                new Balancer(
                                        environment.settings().cleaning(),
                                        environment.settings().segmentBytes()),
                                cleaner,
                                figures,
                                log::clientBytes,
                                log::deleteBytes,
                                health,
                                environment.settings().cleaning().threads(),
                                environment.settings().segmentBytes()),
                        environment.threads());
        this.space =
                new SpaceView(
                        new SpaceView.Parts(
                                log,
                                accounts,
                                uploads,
                                compactor,
                                figures,
                                keeper,
                                cleaner,
                                environment.settings().segmentBytes()));
        if (!recovered.isWritable()) {
            health.readOnly(
                    "damage was accepted at start: "
                            + String.join("; ", recovered.report().damages()));
        }
    }

    /** Starts the threads. */
    void start() {
        accounts.notes().begin(log.nextSegmentId());
        images.start();
        commits.start(new Follower());
        flusher.start();
        keeper.start();
        // What was dead, or never committed, before the last stop becomes free space again.
        flusher.requestIfAnyDead();
    }

    @Override
    public long allocateId() {
        return ids.incrementAndGet();
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        return index.record(family, key).map(RecordRow::toStored);
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        return details.read(family, key, record);
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        return new SnapshotCursor(index.records(family, from, to));
    }

    @Override
    public BlobWriter newBlob(OptionalLong expectedBytes) throws IOException {
        health.requireWritable();
        keeper.admit(SegmentLog.Claim.CLIENT);
        return new HeadOrStreamWriter(
                new BlobId(allocateId()),
                uploads,
                expectedBytes,
                environment.settings().inlineLimitBytes(),
                this::streamFailed,
                this);
    }

    /** What follows from commits. */
    private final class Follower implements GroupCommit.Told {
        @Override
        public void committed(long bytes, int emptiedSegments) {
            flusher.committed(bytes, emptiedSegments);
            keeper.committed(bytes);
        }

        @Override
        public NoRoom noRoom(CubeUnavailableException full) {
            return keeper.noRoom(full);
        }
    }

    private IOException streamFailed(IOException e) {
        if (e instanceof CubeUnavailableException full
                && full.reason() == CubeUnavailableException.Reason.FULL) {
            return keeper.noRoom(full).told();
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
            keeper.admit(transaction);
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
            keeper.written(streamed);
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
        return space.report();
    }

    @Override
    public SpaceReport spaceAtGlance() {
        return space.atGlance();
    }

    @Override
    public CubeStats stats() {
        SegmentLog.LogCounters counters = log.counters();
        return new CubeStats(
                meter.commits(),
                counters.batches(),
                counters.streamForces(),
                environment.metering().written().get(),
                counters.damages() + details.damages(),
                images.stats(),
                new CubeWork(
                        meter.figures(commits.queued()),
                        environment.metering().forces().get(),
                        keeper.decisions(),
                        compactor.punchedBytes(),
                        keeper.waits(),
                        keeper.refused(),
                        index.stats()));
    }

    @Override
    public long clean(Cleaning level) throws IOException {
        health.requireWritable();
        return switch (level) {
            case COMPACT -> {
                long given = figures.compactAll();
                keeper.wake();
                yield given;
            }
            case COMBINED -> cleaner.clean(CleaningPass.Pace.NONE);
        };
    }

    @Override
    public void whenShort(SpaceGiver giver) {
        keeper.whenShort(giver);
    }

    @Override
    public CheckReport check(long bytesPerSecond, CheckReport.Watch watch) throws IOException {
        CheckReport.Watch orClosing = progress -> !closing.get() && watch.goesOn(progress);
        try {
            CheckReport found =
                    new CubeCheck(log, index, blobs.lookups(), bytesPerSecond, orClosing).run();
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
        return cleaner;
    }

    /** What gives dead pages of sealed segments back. */
    public Compactor compactor() {
        return compactor;
    }

    /** Flushes the index and frees what that sets free, before it returns. */
    public void flushIndex() throws IOException {
        flusher.flush().join();
    }

    public RecoveryReport report() {
        return report;
    }

    /** The typed index, for checks. */
    CubeIndex index() {
        return index;
    }

    @Override
    public void close() throws IOException {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        keeper.stop();
        commits.stop();
        flusher.stop();
        images.close();
        boolean isSound = health.isHealthy();
        health.close();
        try (SegmentLog closedLast = log;
                CubeIndex closedFirst = index) {
            if (isSound) {
                IndexState last = commits.state();
                // Also ids that no commit has carried to the log: a clean start leaves no gap.
                closedFirst.flushAtEnd(
                        new IndexState(last.position(), last.nextSequence(), ids.get()));
            }
        }
    }
}
