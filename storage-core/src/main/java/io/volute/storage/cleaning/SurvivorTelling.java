package io.volute.storage.cleaning;

import io.volute.storage.Joining;
import io.volute.storage.Place;
import io.volute.storage.commit.Relocation;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the batches of one survivor and tells the index of them: in their order, each only after
 * it is durable. One force for many, and while the index takes one the next is copied; it is told
 * batch by batch, so that commits get between them, and of none before the answer to the last:
 * where one failed, none may follow. Used by one thread.
 */
final class SurvivorTelling {
    private final SegmentLog.Survivor survivor;
    private final CleaningPass.Relocator relocator;
    private final CleaningPass.Pace pace;

    private final Queue<Relocation.Batch> written = new ArrayDeque<>();
    private final Queue<Relocation.Batch> durable = new ArrayDeque<>();
    private Optional<Told> told = Optional.empty();

    private final long begin;
    private long forcedEnd;
    private long appliedEnd;
    private Relocation.Moved moved = Relocation.Moved.NOTHING;

    /** A batch that the index has been told of, without its answer. */
    private record Told(long end, CompletableFuture<Relocation.Moved> moved) {}

    SurvivorTelling(
            SegmentLog.Survivor survivor,
            CleaningPass.Relocator relocator,
            CleaningPass.Pace pace) {
        this.survivor = survivor;
        this.relocator = relocator;
        this.pace = pace;
        this.begin = survivor.end();
        this.forcedEnd = begin;
        this.appliedEnd = begin;
    }

    boolean hasRoom(long entryBytes) {
        return survivor.hasRoom(entryBytes);
    }

    /** Copies an entry, or puts another in its stead, into the batch at hand. */
    Relocation.Moving copy(NeededEntries.Needed needed) throws IOException {
        LogEntry copied;
        if (needed.instead().isPresent()) {
            copied = needed.instead().get();
            survivor.add(copied);
        } else {
            copied = survivor.copy(needed.place());
        }
        return new Relocation.Moving(copied, needed.place(), needed.found());
    }

    /**
     * Writes what was copied as one batch.
     *
     * @param moving what was copied since the batch before
     * @param stamp of what the index was asked for it
     */
    void write(Set<Long> origins, List<Relocation.Moving> moving, long stamp) throws IOException {
        List<Place> to = survivor.write();
        Relocation.Batch batch =
                new Relocation.Batch(
                        survivor.segmentId(), origins, moving, to, survivor.end(), stamp);
        written.add(batch);
        if (batch.end() - forcedEnd >= pace.forceBytes()) {
            tellAll();
            force();
        }
        tellNext();
    }

    /** Makes durable what was added. */
    void force() throws IOException {
        if (!written.isEmpty()) {
            survivor.force();
            forcedEnd = survivor.end();
            durable.addAll(written);
            written.clear();
        }
    }

    private void tellAll() throws IOException {
        while (!durable.isEmpty()) {
            tellNext();
        }
    }

    /** Tells of one batch that is durable, if there is one. */
    void tellNext() throws IOException {
        Relocation.Batch batch = durable.poll();
        if (batch == null) {
            return;
        }
        hear();
        pace.await(batch.end() - appliedEnd);
        told = Optional.of(new Told(batch.end(), relocator.relocate(batch)));
        if (!pace.copiesMeanwhile()) {
            hear();
        }
    }

    /** Waits for the answer to what was told last. */
    private void hear() throws IOException {
        if (told.isPresent()) {
            Told last = told.get();
            told = Optional.empty();
            moved = moved.plus(Joining.join(last.moved()));
            appliedEnd = last.end();
        }
    }

    /** Returns when the index knows of everything that was added. */
    void finish() throws IOException {
        tellAll();
        force();
        tellAll();
        hear();
    }

    /** Whether there is nothing left to tell. */
    boolean isDone() {
        return written.isEmpty() && durable.isEmpty();
    }

    /**
     * Seals the survivor where the index knows it to. After a failure, what the index was not told
     * of does not count.
     */
    void seal() throws IOException {
        try {
            hear();
        } finally {
            try (SegmentLog.Survivor open = survivor) {
                open.seal(appliedEnd);
            }
        }
    }

    /** What became of the batches that the index has answered. */
    Relocation.Moved moved() {
        return moved;
    }

    /** Bytes of the survivor that the index knows, padding included. */
    long appliedBytes() {
        return appliedEnd - begin;
    }
}
