package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.commit.Relocation;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The survivors of one pass: the one that is being filled, and the one before while its last
 * batches are published. Used by one thread.
 */
final class PassSurvivors implements AutoCloseable {
    private final SegmentLog.Mover mover;
    private final CleaningPass.Relocator relocator;
    private final CleaningPass.Pace pace;
    private final Set<Long> origins;

    /** At most two survivors; the last is being filled. */
    private final Deque<SurvivorPublisher> open = new ArrayDeque<>();

    private final List<Relocation.Moving> moving = new ArrayList<>();
    private long movingBytes;

    /** Stamp of the oldest entry in {@link #moving}; see {@link RecentChanges#stamp}. */
    private long movingStamp;

    private int opened;
    private long left;
    private Relocation.Moved moved = Relocation.Moved.NOTHING;
    private long written;

    /**
     * @param mover opens them; outlives them
     * @param origins segments that all survivors may hold copies of; may grow until the first
     *     survivor is opened
     * @param expectedBytes about how many bytes will be copied
     */
    PassSurvivors(
            SegmentLog.Mover mover,
            CleaningPass.Relocator relocator,
            CleaningPass.Pace pace,
            Set<Long> origins,
            long expectedBytes) {
        this.mover = mover;
        this.relocator = relocator;
        this.pace = pace;
        this.origins = origins;
        this.left = expectedBytes;
    }

    /**
     * Copies an entry, and writes the batch once it is large enough.
     *
     * @param stamp taken before the row of the entry was read
     */
    void copy(NeededEntries.Needed needed, long stamp) throws IOException {
        long bytes = needed.place().bytes();
        SurvivorPublisher target = room(bytes);
        if (moving.isEmpty()) {
            movingStamp = stamp;
        }
        moving.add(target.copy(needed));
        movingBytes += bytes;
        left -= bytes;
    }

    private SurvivorPublisher room(long bytes) throws IOException {
        if (!open.isEmpty()) {
            SurvivorPublisher filled = open.getLast();
            if (filled.hasRoom(bytes) && !pace.isEnough(moving.size(), movingBytes)) {
                return filled;
            }
            write();
            if (filled.hasRoom(bytes)) {
                return filled;
            }
            filled.force();
            finishDownTo(1);
        }
        return open(Math.max(bytes, left));
    }

    private SurvivorPublisher open(long expected) throws IOException {
        try {
            SurvivorPublisher next =
                    new SurvivorPublisher(
                            mover.openSurvivor(List.copyOf(origins), expected), relocator, pace);
            open.add(next);
            opened++;
            return next;
        } catch (CubeUnavailableException e) {
            // Without space the pass ends here, but the copies so far are published.
            finishDownTo(0);
            throw e;
        }
    }

    private void write() throws IOException {
        if (moving.isEmpty()) {
            return;
        }
        open.getLast().write(origins, List.copyOf(moving), movingStamp);
        moving.clear();
        movingBytes = 0;
        if (open.size() > 1) {
            open.getFirst().publishNext();
            if (open.getFirst().isPublished()) {
                finishDownTo(1);
            }
        }
    }

    /** Publishes everything that was copied, and seals all survivors. */
    void finish() throws IOException {
        write();
        finishDownTo(0);
    }

    private void finishDownTo(int survivors) throws IOException {
        while (open.size() > survivors) {
            open.getFirst().finish();
            sealFirst();
        }
    }

    private void sealFirst() throws IOException {
        SurvivorPublisher first = open.removeFirst();
        try {
            first.seal();
        } finally {
            moved = moved.plus(first.moved());
            written += first.appliedBytes();
        }
    }

    /** After a failure: seals each survivor at the end of its published part. */
    @Override
    public void close() throws IOException {
        if (!open.isEmpty()) {
            try {
                sealFirst();
            } finally {
                close();
            }
        }
    }

    /** Returns the bytes moved, and born dead, by the published batches. */
    Relocation.Moved moved() {
        return moved;
    }

    /** Returns the published bytes in survivors, padding included. */
    long written() {
        return written;
    }

    /** Returns the number of survivors opened. */
    int opened() {
        return opened;
    }
}
