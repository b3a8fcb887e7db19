package io.volute.storage.commit;

import io.volute.storage.BlobId;
import io.volute.storage.CommitTime;
import io.volute.storage.LateCommitException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.Transaction;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Turns a transaction into entries of a batch. It checks first and changes afterwards, so a
 * transaction that is refused or put off leaves no trace in the batch. Used by the committing
 * thread.
 *
 * <p>Of several changes to one record in one transaction only the last one is written. A
 * transaction that changes a record which the batch has changed already is put off to the next
 * batch, so a victim never lies in the batch that kills it.
 */
final class TransactionPlanner {

    /** The result of a plan. */
    sealed interface Outcome {}

    /**
     * The transaction is part of the batch. {@code bytes} are its encoded bytes; {@code
     * nextSequence} is free afterwards.
     */
    record Planned(long nextSequence, long bytes) implements Outcome {}

    /** The transaction goes into a later batch. */
    record PutOff() implements Outcome {}

    /** The transaction can never be committed; nothing was written. */
    record Refused(Exception reason) implements Outcome {}

    private final SegmentLog log;
    private final CubeIndex index;
    private final LongSupplier idHighWater;
    private final InstantSource clock;

    /**
     * Creates a planner.
     *
     * @param idHighWater greatest id given out so far
     */
    TransactionPlanner(
            SegmentLog log, CubeIndex index, LongSupplier idHighWater, InstantSource clock) {
        this.log = log;
        this.index = index;
        this.idHighWater = idHighWater;
        this.clock = clock;
    }

    /**
     * Plans a transaction.
     *
     * @param sequence least free sequence
     * @param bytesLeft encoded bytes that the batch can still take
     * @param bytesMax encoded bytes that an empty batch could take for this transaction
     */
    Outcome plan(
            PendingBatch batch,
            Transaction transaction,
            long sequence,
            long bytesLeft,
            long bytesMax) {
        Plan plan = new Plan(batch);
        try {
            plan.collect(transaction);
            if (plan.touchesBatch()) {
                return new PutOff();
            }
            plan.checkReferences();
        } catch (MissingBlobException | IllegalArgumentException e) {
            return new Refused(e);
        }
        long first = CommitTime.next(sequence, clock.instant(), plan.recordsMax());
        if (first + plan.recordsMax() - 1 > transaction.latest()) {
            return new Refused(new LateCommitException(CommitTime.of(first)));
        }
        plan.build(first);
        long bytes = 0;
        for (Step step : plan.steps) {
            bytes += log.encodedBytes(step.entry());
        }
        if (bytes > bytesMax) {
            return new Refused(
                    new IllegalArgumentException(
                            "a transaction takes at most "
                                    + bytesMax
                                    + " bytes of log, this one has "
                                    + bytes));
        }
        if (bytes > bytesLeft) {
            return new PutOff();
        }
        plan.apply();
        return new Planned(plan.next, bytes);
    }

    /** An entry with the key and old row of the record that it changes. */
    private record Step(LogEntry entry, Optional<RecordKey> key, Optional<RecordRow> old) {}

    private final class Plan {
        private final PendingBatch batch;
        private final Map<RecordKey, Transaction.Change> records = new LinkedHashMap<>();
        private final Map<Long, StagedBlob> added = new LinkedHashMap<>();
        private final List<Transaction.Compose> composed = new ArrayList<>();
        private final Map<Long, Long> composedBytes = new LinkedHashMap<>();
        private final List<Step> steps = new ArrayList<>();
        private long next;

        Plan(PendingBatch batch) {
            this.batch = batch;
        }

        void collect(Transaction transaction) {
            for (Transaction.Change change : transaction.changes()) {
                switch (change) {
                    case Transaction.Put put -> last(key(put.family().id(), put.key()), put);
                    case Transaction.Delete delete ->
                            last(key(delete.family().id(), delete.key()), delete);
                    case Transaction.AddBlob add -> {
                        StagedBlob staged = StagedBlob.of(add.blob());
                        if (added.put(staged.id().value(), staged) != null) {
                            throw new IllegalArgumentException(staged + " is added twice");
                        }
                    }
                    case Transaction.Compose compose -> composed.add(compose);
                }
            }
        }

        private RecordKey key(int family, byte[] key) {
            index.table(family);
            return new RecordKey(family, key);
        }

        private void last(RecordKey key, Transaction.Change change) {
            records.remove(key);
            records.put(key, change);
        }

        boolean touchesBatch() {
            return records.keySet().stream().anyMatch(batch::touches);
        }

        void checkReferences() throws MissingBlobException {
            Set<Long> referenced = new HashSet<>();
            for (Transaction.Compose compose : composed) {
                checkNewId(compose.blob());
                for (Transaction.Part part : compose.parts()) {
                    long bytes = bytesOf(part.blob());
                    if (bytes != part.bytes()) {
                        throw new IllegalArgumentException(
                                "blob "
                                        + part.blob().value()
                                        + " has "
                                        + bytes
                                        + " bytes, its part has "
                                        + part.bytes());
                    }
                    referenced.add(part.blob().value());
                }
                composedBytes.put(compose.blob().value(), PendingBatch.length(compose.parts()));
            }
            for (Transaction.Change change : records.values()) {
                if (change instanceof Transaction.Put put) {
                    for (BlobId blob : put.references()) {
                        bytesOf(blob);
                        referenced.add(blob.value());
                    }
                }
            }
            checkAllReferenced(added.keySet(), referenced);
            checkAllReferenced(composedBytes.keySet(), referenced);
        }

        private void checkAllReferenced(Set<Long> blobs, Set<Long> referenced) {
            for (long blob : blobs) {
                if (!referenced.contains(blob)) {
                    throw new IllegalArgumentException(
                            "no record of the transaction refers to its new blob " + blob);
                }
            }
        }

        private void checkNewId(BlobId blob) {
            long id = blob.value();
            boolean used =
                    added.containsKey(id)
                            || composedBytes.containsKey(id)
                            || batch.blobs().live(id).isPresent();
            if (used || id > idHighWater.getAsLong()) {
                throw new IllegalArgumentException(
                        "blob id " + id + (used ? " is in use" : " was never given out"));
            }
        }

        private long bytesOf(BlobId blob) throws MissingBlobException {
            long id = blob.value();
            StagedBlob staged = added.get(id);
            if (staged != null) {
                return staged.bytes();
            }
            Long bytes = composedBytes.get(id);
            if (bytes != null) {
                return bytes;
            }
            return batch.blobs().live(id).orElseThrow(() -> new MissingBlobException(blob)).bytes();
        }

        int recordsMax() {
            return added.size() + composed.size() + records.size();
        }

        void build(long sequence) {
            next = sequence;
            added.values().forEach(blob -> blobStep(blob.toEntry(next)));
            composed.forEach(
                    compose ->
                            blobStep(
                                    new LogEntry.ComposedBlob(
                                            next, compose.blob().value(), compose.parts())));
            records.forEach(this::recordStep);
        }

        private void blobStep(LogEntry entry) {
            next++;
            steps.add(new Step(entry, Optional.empty(), Optional.empty()));
        }

        private void recordStep(RecordKey key, Transaction.Change change) {
            Optional<RecordRow> old = rowBefore(key, change);
            LogEntry.Victim victim = old.map(RecordRow::asVictim).orElse(LogEntry.Victim.NONE);
            if (change instanceof Transaction.Put put) {
                List<Long> references =
                        put.references().stream().map(BlobId::value).distinct().toList();
                steps.add(
                        new Step(
                                new LogEntry.RecordPut(
                                        next++,
                                        key.family(),
                                        key.key(),
                                        put.summary(),
                                        put.detail(),
                                        references,
                                        victim),
                                Optional.of(key),
                                old));
            } else if (old.isPresent()) {
                steps.add(
                        new Step(
                                new LogEntry.Tombstone(next++, key.family(), key.key(), victim),
                                Optional.of(key),
                                old));
            }
        }

        private Optional<RecordRow> rowBefore(RecordKey key, Transaction.Change change) {
            if (change instanceof Transaction.Put put && put.isNew()) {
                assert batch.rowBefore(key).isEmpty() : "there is a record of a new key";
                return Optional.empty();
            }
            return batch.rowBefore(key);
        }

        void apply() {
            for (Step step : steps) {
                if (step.entry() instanceof LogEntry.RecordPut put) {
                    batch.put(put, step.key().orElseThrow(), step.old());
                } else if (step.entry() instanceof LogEntry.Tombstone tombstone) {
                    batch.delete(tombstone, step.key().orElseThrow(), step.old().orElseThrow());
                } else {
                    batch.addOther(step.entry());
                }
            }
            batch.settle();
        }
    }
}
