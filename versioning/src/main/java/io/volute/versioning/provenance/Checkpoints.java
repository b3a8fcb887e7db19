package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHECKPOINTS;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CheckpointAudit;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.anchor.MapRoot;
import io.volute.provenance.anchor.MapScan;
import io.volute.provenance.anchor.TwinMapScan;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Makes and keeps checkpoints of all chains. Thread-safe. */
public final class Checkpoints {
    private static final byte[] NOTHING = {};

    private final RecordStore cube;
    private final StoreKeys keys;
    private final InstantSource clock;
    private final ChainBegins begins;

    /** Empty until it has been looked for, or made. */
    private final AtomicReference<Optional<Checkpoint>> newest =
            new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<String>> refusal =
            new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<String>> doubts =
            new AtomicReference<>(Optional.empty());

    Checkpoints(RecordStore cube, StoreKeys keys, InstantSource clock, ChainBegins begins) {
        this.begins = begins;
        this.cube = cube;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Makes the next one, when every chain of the last one continues: the same walk over the index
     * rows of all entries computes the map of then again.
     *
     * @param goesOn asked now and then
     * @throws CheckpointRefusedException when the chains are not those of the last one
     * @throws IOException when it shall not go on, or cannot be written; there is none then
     */
    synchronized Checkpoint make(BooleanSupplier goesOn) throws IOException {
        Optional<String> doubted = doubts.get();
        if (doubted.isPresent()) {
            throw new CheckpointRefusedException(doubted.get());
        }
        Optional<Checkpoint> before = last();
        StoreKeys.Signing signing = keys.signingAlone();
        MapRoot map =
                before.isPresent()
                        ? continued(before.get(), signing.sequence(), goesOn)
                        : map(signing.sequence(), goesOn).root();
        Checkpoint made =
                Checkpoint.sign(
                        before,
                        clock.millis(),
                        signing.sequence(),
                        map,
                        signing.list(),
                        signing.keys());
        byte[] key = RowKeys.number(made.body().number());
        Commits.join(
                cube,
                new Transaction()
                        .put(CHECKPOINTS, key, NOTHING, made.encode().toArray(), List.of()));
        newest.set(Optional.of(made));
        return made;
    }

    private MapRoot continued(Checkpoint before, long sequence, BooleanSupplier goesOn)
            throws IOException {
        long then = before.body().commitSequence();
        TwinMapScan.Roots roots =
                new TwinMapScan(new StoreHeads(cube, keys.storeId(), sequence, goesOn).since(then))
                        .roots();
        List<String> wrong = new ArrayList<>(CheckpointAudit.heads(before, roots.then()));
        if (begins.horizon() > then) {
            // The store removes nothing that its last checkpoint does not cover.
            wrong.add("entries behind checkpoint " + before.body().number() + " were removed");
        }
        if (!wrong.isEmpty()) {
            throw refuse(
                    "the chains on the disk do not continue the last checkpoint: "
                            + String.join("; ", wrong));
        }
        refusal.set(Optional.empty());
        return roots.now();
    }

    private CheckpointRefusedException refuse(String why) {
        refusal.set(Optional.of(why));
        return new CheckpointRefusedException(
                why
                        + ". Somebody changed the data directory, or put an older copy of it back."
                        + " No checkpoint is signed until the chains continue: volute audit --all"
                        + " names what is wrong; put the data directory back from a copy");
    }

    /** Why the last attempt to make one was refused; empty when it was not. */
    Optional<String> refusal() {
        return doubts.get().or(refusal::get);
    }

    /** Exported checkpoints contradict those of the store, for this reason, or do not. */
    void doubt(Optional<String> why) {
        doubts.set(why);
    }

    private MapScan map(long sequence, BooleanSupplier goesOn) {
        return new MapScan(new StoreHeads(cube, keys.storeId(), sequence, goesOn));
    }

    /** The newest one. */
    Optional<Checkpoint> last() throws IOException {
        Optional<Checkpoint> known = newest.get();
        if (known.isEmpty()) {
            // Unless one was made meanwhile: that is newer.
            Optional<Checkpoint> unused = newest.compareAndExchange(known, found());
        }
        return newest.get();
    }

    private Optional<Checkpoint> found() throws IOException {
        Optional<Checkpoint> last = Optional.empty();
        try (RecordCursor cursor = cube.scan(CHECKPOINTS, NOTHING, NOTHING)) {
            byte[] key = NOTHING;
            StoredRecord record = null;
            while (cursor.next()) {
                key = cursor.key();
                record = cursor.record();
            }
            if (record != null) {
                last = Optional.of(read(key, record));
            }
        }
        return last;
    }

    /** The newest one whose commit is not later than one; their numbers have no gaps. */
    Optional<Checkpoint> newestUpTo(long commit) throws IOException {
        Optional<Checkpoint> newest = Optional.empty();
        long low = 0;
        long high = last().map(each -> each.body().number() + 1).orElse(0L);
        while (low < high) {
            long middle = (low + high) >>> 1;
            Optional<Checkpoint> each = list(middle, 1).stream().findFirst();
            if (each.isPresent() && each.get().body().commitSequence() <= commit) {
                newest = each;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return newest;
    }

    /** Some from a number on, ascending. */
    List<Checkpoint> list(long from, int max) throws IOException {
        List<Checkpoint> found = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(CHECKPOINTS, RowKeys.number(from), NOTHING)) {
            while (found.size() < max && cursor.next()) {
                found.add(read(cursor.key(), cursor.record()));
            }
        }
        return found;
    }

    private Checkpoint read(byte[] key, StoredRecord record) throws IOException {
        try {
            return Checkpoint.decode(Bytes.of(cube.readDetail(CHECKPOINTS, key, record)));
        } catch (RefusedException e) {
            throw new IOException(
                    "checkpoint " + RowKeys.lastNumber(key) + " cannot be read: " + e.getMessage(),
                    e);
        }
    }

    /** Writes all heads of a checkpoint, from the entries as they are now. */
    void writeHeads(Checkpoint at, OutputStream target) throws IOException {
        requireComparable(at);
        MapRoot written =
                HeadsFile.write(
                        map(at.body().commitSequence(), () -> true), at.body().heads(), target);
        List<String> wrong = CheckpointAudit.heads(at, written);
        if (!wrong.isEmpty()) {
            throw new IOException(String.join("; ", wrong));
        }
    }

    /**
     * Verifies all checkpoints, each behind the one before, and compares the chains as they are now
     * with the newest, and with one more.
     *
     * @param compared number of that one
     * @return what is wrong
     */
    List<String> audit(OptionalLong compared, BooleanSupplier goesOn) throws IOException {
        List<String> wrong = new ArrayList<>();
        CheckpointAudit audit = new CheckpointAudit(keys.list());
        Optional<Checkpoint> newest = Optional.empty();
        Optional<Checkpoint> named = Optional.empty();
        try (RecordCursor cursor = cube.scan(CHECKPOINTS, NOTHING, NOTHING)) {
            for (long number = 0; cursor.next(); number++) {
                Checkpoint next = read(cursor.key(), cursor.record());
                if (next.body().number() != number) {
                    wrong.add("checkpoint " + number + " is missing");
                    number = next.body().number();
                }
                wrong.addAll(audit.next(next));
                newest = Optional.of(next);
                if (compared.isPresent() && compared.getAsLong() == number) {
                    named = newest;
                }
            }
        }
        if (compared.isPresent() && named.isEmpty()) {
            wrong.add("checkpoint " + compared.getAsLong() + " is missing");
        }
        if (named.isPresent() && !named.equals(newest)) {
            wrong.addAll(compare(named.get(), goesOn));
        }
        if (newest.isPresent()) {
            wrong.addAll(compare(newest.get(), goesOn));
        }
        return wrong;
    }

    private List<String> compare(Checkpoint with, BooleanSupplier goesOn) throws IOException {
        MapRoot now = map(with.body().commitSequence(), goesOn).root();
        // Behind the look at the chains: entries may have gone meanwhile.
        requireComparable(with);
        return CheckpointAudit.heads(with, now);
    }

    /**
     * @throws StoreException when entries have been removed that were the last ones then
     */
    void requireComparable(Checkpoint at) {
        if (at.body().commitSequence() < begins.horizon()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "checkpoint "
                            + at.body().number()
                            + " cannot be compared with the chains any more: entries from before"
                            + " have been removed (provenance.retention); take a later one");
        }
    }
}
