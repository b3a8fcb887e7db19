package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.commit.Relocation;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The survivors of one pass: that which is being filled, and the one before while the index is
 * still told of it. Used by one thread.
 */
final class PassSurvivors implements AutoCloseable {
    private final CleaningPass.Parts parts;
    private final SegmentLog.Mover mover;
    private final Set<Long> origins;

    /** At most two; the last is being filled. */
    private final Deque<SurvivorTelling> open = new ArrayDeque<>();

    private final List<Relocation.Moving> moving = new ArrayList<>();
    private long movingBytes;

    /** Of the oldest of what is moving. */
    private long movingStamp;

    private int opened;
    private long left;
    private Relocation.Moved moved = Relocation.Moved.NOTHING;
    private long written;

    /**
     * @param mover opens them; outlives them
     * @param origins of all survivors; may grow until the first is opened
     * @param expectedBytes that will be copied, roughly
     */
    PassSurvivors(
            CleaningPass.Parts parts,
            SegmentLog.Mover mover,
            Set<Long> origins,
            long expectedBytes) {
        this.parts = parts;
        this.mover = mover;
        this.origins = origins;
        this.left = expectedBytes;
    }

    /**
     * Copies an entry, and tells the index once there is enough.
     *
     * @param stamp of what the index was asked for it
     */
    void copy(NeededEntries.Needed needed, long stamp) throws IOException {
        long bytes = needed.place().bytes();
        SurvivorTelling target = room(bytes);
        if (moving.isEmpty()) {
            movingStamp = stamp;
        }
        moving.add(target.copy(needed));
        movingBytes += bytes;
        left -= bytes;
    }

    private SurvivorTelling room(long bytes) throws IOException {
        if (!open.isEmpty()) {
            SurvivorTelling filled = open.getLast();
            if (filled.hasRoom(bytes) && !parts.pace().isEnough(moving.size(), movingBytes)) {
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

    private SurvivorTelling open(long expected) throws IOException {
        try {
            SurvivorTelling next =
                    new SurvivorTelling(
                            mover.openSurvivor(List.copyOf(origins), expected),
                            parts.relocator(),
                            parts.pace());
            open.add(next);
            opened++;
            return next;
        } catch (CubeUnavailableException e) {
            // Without room the pass ends here, but what was copied is not in vain.
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
            open.getFirst().tellNext();
            if (open.getFirst().isDone()) {
                finishDownTo(1);
            }
        }
    }

    /** Returns when the index knows of everything that was copied, and all is sealed. */
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
        SurvivorTelling first = open.removeFirst();
        try {
            first.seal();
        } finally {
            moved = moved.plus(first.moved());
            written += first.appliedBytes();
        }
    }

    /** After a failure: seals each where the index knows it to. */
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

    /** What became of the batches that the index has answered. */
    Relocation.Moved moved() {
        return moved;
    }

    /** Bytes in survivors that the index knows, padding included. */
    long written() {
        return written;
    }

    /** Survivors opened. */
    int opened() {
        return opened;
    }
}
