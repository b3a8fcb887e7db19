package io.volute.storage.commit;

import io.volute.storage.BatchSeal;
import io.volute.storage.Transaction;
import io.volute.storage.commit.TransactionPlanner.Outcome;
import io.volute.storage.commit.TransactionPlanner.Planned;
import io.volute.storage.commit.TransactionPlanner.Refused;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Fills a batch with transactions, keeps space for the seal of their notes, and adds the seal last.
 * Used by the committing thread.
 */
public final class BatchPlanner {
    private final SegmentLog log;
    private final TransactionPlanner planner;
    private volatile Optional<BatchSeal> seal = Optional.empty();

    /**
     * Creates a planner.
     *
     * @param idHighWater greatest id given out so far
     * @param clock clock of commits
     */
    public BatchPlanner(
            SegmentLog log, CubeIndex index, LongSupplier idHighWater, InstantSource clock) {
        this.log = log;
        this.planner = new TransactionPlanner(log, index, idHighWater, clock);
    }

    /** Sets the seal. From any thread. */
    void sealWith(BatchSeal use) {
        seal = Optional.of(use);
    }

    /** Returns the bytes of transactions and notes that an empty batch takes. From any thread. */
    long bytesMax() {
        return (long) log.batchBytesMax() - seal.map(BatchSeal::bytesMax).orElse(0);
    }

    /**
     * Plans a transaction like {@link TransactionPlanner#plan}, with space for its notes.
     *
     * @param bytesLeft rest of {@link #bytesMax}
     */
    Outcome plan(PendingBatch batch, Transaction transaction, long sequence, long bytesLeft) {
        int notes = transaction.notes().size();
        if (notes > 0 && seal.isEmpty()) {
            return new Refused(
                    new IllegalArgumentException(
                            "a transaction has notes, but nothing seals them"));
        }
        long noteBytes = notes == 0 ? 0 : notes * (long) seal.get().noteBytesMax();
        Outcome outcome =
                planner.plan(
                        batch,
                        transaction,
                        sequence,
                        bytesLeft - noteBytes,
                        bytesMax() - noteBytes);
        return outcome instanceof Planned(long next, long bytes)
                ? new Planned(next, bytes + noteBytes)
                : outcome;
    }

    /** Adds the seal, if there is a note; returns the next free sequence. */
    long seal(PendingBatch batch, List<Transaction> transactions, long next) {
        List<byte[]> notes = transactions.stream().flatMap(each -> each.notes().stream()).toList();
        if (notes.isEmpty()) {
            return next;
        }
        Transaction sealing = seal.orElseThrow().seal(notes, next - 1);
        long max = log.batchBytesMax();
        if (planner.plan(batch, sealing, next, max, max) instanceof Planned planned) {
            return planned.nextSequence();
        }
        throw new BrokenInvariant("the seal of a batch cannot be committed with it");
    }
}
