package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * The pace of cleaning beside clients: a pass goes on batch by batch, each when clients have
 * written what the last one won, or a short time has passed. The less is free, the faster: at an
 * eighth of what was free when cleaning began it wins as much as clients write, so that is where it
 * settles, for waiting makes segments emptier; without any wait once space is short.
 */
final class KeepAhead implements CleaningPass.Pace {
    private static final long CATCH_UP_BYTES = 256 << 10;

    /** Entries that the index takes of the cleaner at once: one for so many bytes of a commit. */
    private static final int PIECE_OF_COMMIT_BYTES = 16;

    private static final int PIECE_MIN = 64;
    private static final int PIECE_MAX = 1024;
    private static final double SPEED_MIN = 0.1;
    private static final double SPEED_MAX = 1.5;

    /** Slow as long as there is room: what is free does not become emptier, what is full does. */
    private static final double STEEPNESS = 3;

    /** With less than this left of the cushion, clients are about to wait. */
    private static final double HURRY_LEFT = 0.04;

    private static final double HURRY_MAX = 4;

    private final Clients clients;
    private long seen;
    private long due;
    private double wonPerCopied = 1;

    KeepAhead(Clients clients) {
        this.clients = clients;
        this.seen = clients.wrote();
    }

    /** Beside whom it cleans. */
    interface Clients {
        /** Bytes that clients have written so far. */
        long wrote();

        /** Of what cleaning keeps for clients the share that is left; above 1 where it is more. */
        double cushionLeft();

        /** Bytes of a commit, of late. */
        long commitBytes();

        /**
         * Returns when clients have written so much, space is short, or it has been long enough.
         *
         * @param due finds out how much that is from what is free now
         */
        void awaitWritten(LongSupplier due) throws CubeUnavailableException;
    }

    @Override
    public void begin(long copied, long won) {
        wonPerCopied = (double) won / Math.max(1, copied);
    }

    @Override
    public void await(long bytes) throws IOException {
        clients.awaitWritten(() -> due = seen + (long) (bytes * wonPerCopied / speed()));
        long written = clients.wrote();
        // Who was late may catch up a little.
        seen = Math.max(Math.min(due, written), written - CATCH_UP_BYTES);
    }

    /**
     * Small commits are not held up for long; larger ones leave the cleaner as much time, and more
     * when clients are about to wait for space: that would take longer.
     */
    @Override
    public int entriesEnough() {
        double left = Math.max(clients.cushionLeft(), HURRY_LEFT / HURRY_MAX);
        double hurry = Math.max(1, HURRY_LEFT / left);
        double entries = hurry * clients.commitBytes() / PIECE_OF_COMMIT_BYTES;
        return (int) Math.clamp(entries, PIECE_MIN, PIECE_MAX);
    }

    @Override
    public boolean copiesMeanwhile() {
        return true;
    }

    /** Bytes to win for a byte that clients write. */
    private double speed() {
        double left = clients.cushionLeft();
        // More room than when cleaning begins for want of space: it began for something else.
        return left > 1
                ? SPEED_MAX
                : Math.max(SPEED_MIN, SPEED_MAX * Math.pow(1 - left, STEEPNESS));
    }
}
