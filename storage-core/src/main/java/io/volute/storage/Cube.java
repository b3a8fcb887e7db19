package io.volute.storage;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A physically isolated fault domain (IceFS) with its own log, index and recovery: a store of
 * records and blobs, with its maintenance. Code that reads or writes takes a {@link RecordStore},
 * code that operates the cube a {@link CubeMaintenance}; only the owner needs both. Thread-safe.
 */
public interface Cube extends RecordStore, CubeMaintenance, AutoCloseable {

    @Override
    CubeState state();

    /** Flushes the index so that the next start has nothing to replay, and closes everything. */
    @Override
    void close() throws IOException;

    /** A cube of another owner, which is read here and not maintained. Thread-safe. */
    interface ReadOnly extends Cube {
        /** Returns the refusal of a call that is the owner's. */
        static UnsupportedOperationException onlyTheOwner() {
            return new UnsupportedOperationException("only the owner of a cube maintains it");
        }

        @Override
        default long transactionBytesMax() {
            return Integer.MAX_VALUE;
        }

        /** Returns a new refusal of a write, which the owner would take. */
        CubeUnavailableException notOwner();

        @Override
        default BlobWriter newBlob(OptionalLong expectedBytes) throws IOException {
            throw notOwner();
        }

        @Override
        default CompletableFuture<Long> commit(Transaction transaction) {
            return CompletableFuture.failedFuture(notOwner());
        }

        /** {@inheritDoc} Does nothing: there is no commit to seal. */
        @Override
        default void sealWith(BatchSeal seal) {}

        @Override
        default SpaceReport space() {
            throw onlyTheOwner();
        }

        @Override
        default SpaceReport spaceAtGlance() {
            throw onlyTheOwner();
        }

        @Override
        default CubeStats stats() {
            throw onlyTheOwner();
        }

        @Override
        default long clean(Cleaning level) {
            throw onlyTheOwner();
        }

        @Override
        default void whenShort(SpaceGiver giver) {
            throw onlyTheOwner();
        }

        @Override
        default CheckReport check(
                long bytesPerSecond, CheckReport.Watch watch, Optional<Set<Long>> some) {
            throw onlyTheOwner();
        }

        @Override
        default LogSnapshot snapshot() {
            throw onlyTheOwner();
        }

        @Override
        default Pause pauseCommits() {
            throw onlyTheOwner();
        }
    }
}
