package io.volute.server.tracing;

import io.volute.storage.BatchSeal;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.SpaceGiver;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A cube that measures the time for which requests wait for their commits. */
final class TimedCube implements Cube {
    private final Cube cube;
    private final Supplier<Optional<Runnable>> timer;

    /**
     * @param timer starts to time a commit, and returns the action that stops it; empty when the
     *     commit needs no timing
     */
    TimedCube(Cube cube, Supplier<Optional<Runnable>> timer) {
        this.cube = cube;
        this.timer = timer;
    }

    @Override
    public CompletableFuture<Long> commit(Transaction transaction) {
        Optional<Runnable> end = timer.get();
        CompletableFuture<Long> commit = cube.commit(transaction);
        // The timer stops before the commit's future completes, and so before the request can end.
        return end.map(told -> commit.whenComplete((sequence, failure) -> told.run()))
                .orElse(commit);
    }

    @Override
    public void requireServing() throws CubeUnavailableException {
        cube.requireServing();
    }

    @Override
    public long allocateId() {
        return cube.allocateId();
    }

    @Override
    public void passId(long id) {
        cube.passId(id);
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        return cube.get(family, key);
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        return cube.readDetail(family, key, record);
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        return cube.scan(family, from, to);
    }

    @Override
    public BlobWriter newBlob(OptionalLong expectedBytes) throws IOException {
        return cube.newBlob(expectedBytes);
    }

    @Override
    public BlobReader openBlob(BlobId blob) throws IOException {
        return cube.openBlob(blob);
    }

    @Override
    public void sealWith(BatchSeal seal) {
        cube.sealWith(seal);
    }

    @Override
    public long lastSequence() {
        return cube.lastSequence();
    }

    @Override
    public long transactionBytesMax() {
        return cube.transactionBytesMax();
    }

    @Override
    public CubeState state() {
        return cube.state();
    }

    @Override
    public SpaceReport space() {
        return cube.space();
    }

    @Override
    public SpaceReport spaceAtGlance() {
        return cube.spaceAtGlance();
    }

    @Override
    public CubeStats stats() {
        return cube.stats();
    }

    @Override
    public long clean(Cleaning level) throws IOException {
        return cube.clean(level);
    }

    @Override
    public LogSnapshot snapshot() throws IOException {
        return cube.snapshot();
    }

    @Override
    public Pause pauseCommits() {
        return cube.pauseCommits();
    }

    @Override
    public void whenShort(SpaceGiver giver) {
        cube.whenShort(giver);
    }

    @Override
    public CheckReport check(long bytesPerSecond, CheckReport.Watch watch, Optional<Set<Long>> some)
            throws IOException {
        return cube.check(bytesPerSecond, watch, some);
    }

    @Override
    public RecordRepair repair(int family, byte[] key) throws IOException {
        return cube.repair(family, key);
    }

    @Override
    public void close() throws IOException {
        cube.close();
    }
}
