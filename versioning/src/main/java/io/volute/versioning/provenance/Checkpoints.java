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

/** Makes, keeps and audits checkpoints of all chains. Thread-safe. */
public final class Checkpoints {
    private static final byte[] NOTHING = {};

    private final RecordStore cube;
    private final StoreKeys keys;
    private final InstantSource clock;
    private final ChainBegins begins;

    /** The newest checkpoint; empty until the first lookup. */
    private final AtomicReference<Optional<Checkpoint>> newest =
            new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<String>> refusal =
            new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<String>> doubts =
            new AtomicReference<>(Optional.empty());

    public Checkpoints(RecordStore cube, StoreKeys keys, InstantSource clock, ChainBegins begins) {
        this.begins = begins;
        this.cube = cube;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Makes the next checkpoint, if every chain of the last one continues. One walk over the index
     * rows of all entries computes both the present map and that of the last checkpoint.
     *
     * @param goesOn called regularly; when it returns false, the call fails
     * @throws CheckpointRefusedException when the chains do not continue the last checkpoint
     * @throws IOException when {@code goesOn} returns false or the commit fails; no checkpoint is
     *     made
     */
    public synchronized Checkpoint make(BooleanSupplier goesOn) throws IOException {
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
            // The store removes only entries that its last checkpoint covers.
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
                        + " names the entries that are wrong; put the data directory back from a"
                        + " copy");
    }

    /** Returns the reason of the last refusal; empty when the last attempt was not refused. */
    public Optional<String> refusal() {
        return doubts.get().or(refusal::get);
    }

    /**
     * Sets the contradiction between exported checkpoints and those of the store; empty for none.
     */
    public void doubt(Optional<String> why) {
        doubts.set(why);
    }

    private MapScan map(long sequence, BooleanSupplier goesOn) {
        return new MapScan(new StoreHeads(cube, keys.storeId(), sequence, goesOn));
    }

    /** Returns the newest checkpoint. */
    public Optional<Checkpoint> last() throws IOException {
        Optional<Checkpoint> known = newest.get();
        if (known.isEmpty()) {
            // If another thread made one meanwhile, that one is newer.
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

    /** Returns the newest checkpoint up to a commit. Checkpoint numbers have no gaps. */
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

    /** Returns checkpoints from a number on, ascending. */
    public List<Checkpoint> list(long from, int max) throws IOException {
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

    /** Writes all heads of a checkpoint, computed from the present entries. */
    public void writeHeads(Checkpoint at, OutputStream target) throws IOException {
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
     * Verifies all checkpoints in order, and compares the present chains with the newest one and
     * another.
     *
     * @param compared number of the other checkpoint
     * @return the defects
     */
    public List<String> audit(OptionalLong compared, BooleanSupplier goesOn) throws IOException {
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
        // After the walk over the chains: entries may have been removed meanwhile.
        requireComparable(with);
        return CheckpointAudit.heads(with, now);
    }

    /**
     * Refuses a comparison with a checkpoint whose heads may have been removed.
     *
     * @throws StoreException INVALID_ARGUMENT
     */
    public void requireComparable(Checkpoint at) {
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
