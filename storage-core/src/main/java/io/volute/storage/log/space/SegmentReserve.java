package io.volute.storage.log.space;

import io.volute.storage.CleaningSettings;
import io.volute.storage.log.SegmentLog;
import java.util.concurrent.atomic.AtomicInteger;

/** Segments that are kept from those who make no room. Thread-safe. */
public final class SegmentReserve {
    /** A survivor and a head for tombstones: as long as there are two, a pass can begin. */
    private static final int PASS_MIN = 2;

    private final CleaningSettings cleaning;

    /** Segments that survivors have taken, and that come back when their pass ends. */
    private final AtomicInteger lent = new AtomicInteger();

    private final AtomicInteger promised = new AtomicInteger();

    SegmentReserve(CleaningSettings cleaning) {
        this.cleaning = cleaning;
    }

    /** Segments that must be free besides the one that is claimed. */
    int against(SegmentLog.Claim claim) {
        int cleaner = Math.max(0, kept() - lent.get());
        return switch (claim) {
            case CLIENT -> cleaner + cleaning.deleteReserveSegments();
            case DELETE -> cleaner;
            case LAST -> promised() == 0 ? Math.min(cleaner, PASS_MIN) : cleaner;
            case CLEANER -> 0;
        };
    }

    /**
     * For the cleaner: one of what a pass takes may become a head that takes tombstones. Without a
     * reserve nobody waits for a pass.
     */
    private int kept() {
        int planned = promised.get();
        int reserve = cleaning.reserveSegments();
        return reserve == 0 || planned == 0 ? reserve : Math.max(reserve, planned + 1);
    }

    /** Segments that running passes will have taken. */
    public int promised() {
        return promised.get();
    }

    /** A pass will take so many segments, until {@link #giveBack}. */
    public void promise(int segments) {
        promised.addAndGet(segments);
    }

    /** A survivor takes a segment, until {@link #giveBack}. */
    public void lend() {
        lent.incrementAndGet();
    }

    /** A pass has ended that took so many of the segments promised. */
    public void giveBack(int segments, int survivors) {
        promised.addAndGet(-segments);
        lent.addAndGet(-survivors);
    }
}
