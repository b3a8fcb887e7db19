package io.volute.storage.cleaning;

import io.volute.storage.Place;
import io.volute.storage.UninterruptibleJoin;
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
 * Writes the batches of one survivor and publishes them to the index, in order, each after it is
 * durable. Many batches share one force, and the next batch is copied while the index takes one.
 * Batches are published one by one, so that commits get between them. Each waits for the answer to
 * the one before: after a failure none may follow. Used by one thread.
 */
final class SurvivorPublisher {
    private final SegmentLog.Survivor survivor;
    private final CleaningPass.Relocator relocator;
    private final CleaningPass.Pace pace;

    private final Queue<Relocation.Batch> written = new ArrayDeque<>();
    private final Queue<Relocation.Batch> durable = new ArrayDeque<>();
    private Optional<Publication> publication = Optional.empty();

    private final long begin;
    private long forcedEnd;
    private long appliedEnd;
    private Relocation.Moved moved = Relocation.Moved.NOTHING;

    /** A batch that was handed to the index and is not answered yet. */
    private record Publication(long end, CompletableFuture<Relocation.Moved> moved) {}

    SurvivorPublisher(
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

    /** Copies an entry, or the one that replaces it, into the current batch. */
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
     * Writes the copied entries as one batch.
     *
     * @param moving entries copied since the batch before
     * @param stamp taken before the first of their rows was read
     */
    void write(Set<Long> origins, List<Relocation.Moving> moving, long stamp) throws IOException {
        List<Place> to = survivor.write();
        Relocation.Batch batch =
                new Relocation.Batch(
                        survivor.segmentId(), origins, moving, to, survivor.end(), stamp);
        written.add(batch);
        if (batch.end() - forcedEnd >= pace.forceBytes()) {
            publishAll();
            force();
        }
        publishNext();
    }

    /** Forces the batches written so far. */
    void force() throws IOException {
        if (!written.isEmpty()) {
            survivor.force();
            forcedEnd = survivor.end();
            durable.addAll(written);
            written.clear();
        }
    }

    private void publishAll() throws IOException {
        while (!durable.isEmpty()) {
            publishNext();
        }
    }

    /** Publishes one durable batch, if there is one. */
    void publishNext() throws IOException {
        Relocation.Batch batch = durable.poll();
        if (batch == null) {
            return;
        }
        awaitAnswer();
        pace.await(batch.end() - appliedEnd);
        publication = Optional.of(new Publication(batch.end(), relocator.relocate(batch)));
        if (!pace.copiesMeanwhile()) {
            awaitAnswer();
        }
    }

    /** Waits for the answer to the batch published last. */
    private void awaitAnswer() throws IOException {
        if (publication.isPresent()) {
            Publication last = publication.get();
            publication = Optional.empty();
            moved = moved.plus(UninterruptibleJoin.join(last.moved()));
            appliedEnd = last.end();
        }
    }

    /** Forces and publishes everything that was written. */
    void finish() throws IOException {
        publishAll();
        force();
        publishAll();
        awaitAnswer();
    }

    /** Returns whether every written batch is published. */
    boolean isPublished() {
        return written.isEmpty() && durable.isEmpty();
    }

    /**
     * Seals the survivor at the end of its published part. After a failure, the batches behind that
     * end do not count.
     */
    void seal() throws IOException {
        try {
            awaitAnswer();
        } finally {
            try (SegmentLog.Survivor open = survivor) {
                open.seal(appliedEnd);
            }
        }
    }

    /** Returns the bytes moved, and born dead, by the published batches. */
    Relocation.Moved moved() {
        return moved;
    }

    /** Returns the published bytes of the survivor, padding included. */
    long appliedBytes() {
        return appliedEnd - begin;
    }
}
