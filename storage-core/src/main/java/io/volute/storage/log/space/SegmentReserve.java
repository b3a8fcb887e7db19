package io.volute.storage.log.space;

import io.volute.storage.CleaningSettings;
import io.volute.storage.log.SegmentLog;
import java.util.concurrent.atomic.AtomicInteger;

/** The segments reserved for writes that free space. Thread-safe. */
public final class SegmentReserve {
    /** Segments that a pass needs to begin: a survivor, and a head for tombstones. */
    private static final int PASS_MIN = 2;

    private final CleaningSettings cleaning;

    /** Number of segments that survivors have taken, which come back when their pass ends. */
    private final AtomicInteger lent = new AtomicInteger();

    private final AtomicInteger promised = new AtomicInteger();

    public SegmentReserve(CleaningSettings cleaning) {
        this.cleaning = cleaning;
    }

    /** Returns the number of segments that must stay free when one is opened with this priority. */
    public int against(SegmentLog.SpacePriority priority) {
        int cleaner = Math.max(0, kept() - lent.get());
        return switch (priority) {
            case CLIENT -> cleaner + cleaning.deleteReserveSegments();
            case DELETE -> cleaner;
            case LAST -> promised() == 0 ? Math.min(cleaner, PASS_MIN) : cleaner;
            case CLEANER -> 0;
        };
    }

    /**
     * Returns the reserve of the cleaner. One segment of a pass may become a head that takes
     * tombstones. Without a reserve no write waits for a pass.
     */
    private int kept() {
        int planned = promised.get();
        int reserve = cleaning.reserveSegments();
        return reserve == 0 || planned == 0 ? reserve : Math.max(reserve, planned + 1);
    }

    /** Returns the number of segments that running passes have reserved. */
    public int promised() {
        return promised.get();
    }

    /** Reserves segments for a pass, until {@link #giveBack}. */
    public void promise(int segments) {
        promised.addAndGet(segments);
    }

    /** Counts a segment that a survivor takes, until {@link #giveBack}. */
    public void lend() {
        lent.incrementAndGet();
    }

    /** Ends the reservation of a pass, and returns the segments of its survivors. */
    public void giveBack(int segments, int survivors) {
        promised.addAndGet(-segments);
        lent.addAndGet(-survivors);
    }
}
