package io.volute.storage.cleaning;

import java.io.IOException;

/**
 * The pace of a pass beside clients. A pass goes on batch by batch: each batch waits until clients
 * have written what the last one won, or for 20 ms. The less is free, the faster the pass: at 1/8
 * of the cushion it wins as much as clients write, so free space settles there, because waiting
 * makes segments emptier. Once space is short it does not wait at all. Used by one thread.
 */
final class CleaningPace implements CleaningPass.Pace {
    private static final long CATCH_UP_BYTES = 256 << 10;

    /** Bytes of a commit for each entry that a relocation batch may have. */
    private static final int PIECE_OF_COMMIT_BYTES = 16;

    private static final int PIECE_MIN = 64;
    private static final int PIECE_MAX = 1024;
    private static final double SPEED_MIN = 0.1;
    private static final double SPEED_MAX = 1.5;

    /**
     * Exponent that keeps a pass slow while there is space: full segments get emptier meanwhile.
     */
    private static final double STEEPNESS = 3;

    /** Fraction of the cushion below which clients are about to wait. */
    private static final double HURRY_LEFT = 0.04;

    private static final double HURRY_MAX = 4;

    private final ClientLoad clients;
    private long seen;
    private long due;
    private double wonPerCopied = 1;

    CleaningPace(ClientLoad clients) {
        this.clients = clients;
        this.seen = clients.writtenBytes();
    }

    @Override
    public void begin(long copied, long won) {
        wonPerCopied = (double) won / Math.max(1, copied);
    }

    @Override
    public void await(long bytes) throws IOException {
        clients.awaitWritten(() -> due = seen + (long) (bytes * wonPerCopied / speed()));
        long written = clients.writtenBytes();
        // A pass that was late may catch up a little.
        seen = Math.max(Math.min(due, written), written - CATCH_UP_BYTES);
    }

    /**
     * Returns the entries of a relocation batch. The number follows the commit size, so that small
     * commits are not held up for long. It grows up to fourfold when clients are about to wait for
     * space, which would take longer.
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

    /** Returns the bytes to win for each byte that clients write. */
    private double speed() {
        double left = clients.cushionLeft();
        // With more free than the cushion, the pass did not begin for lack of space.
        return left > 1
                ? SPEED_MAX
                : Math.max(SPEED_MIN, SPEED_MAX * Math.pow(1 - left, STEEPNESS));
    }
}
