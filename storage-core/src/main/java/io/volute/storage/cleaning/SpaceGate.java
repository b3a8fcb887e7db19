package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.SpaceGiver;
import io.volute.storage.Transaction;
import io.volute.storage.commit.SpaceRefusal;
import io.volute.storage.log.SegmentLog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Admission control of writes: when they come faster than space is reclaimed, holds them back for
 * up to 900 ms, then refuses them. Thread-safe.
 */
public final class SpaceGate {
    private static final long ADMISSION_MILLIS_MAX = 900;

    private final SpaceMonitor monitor;
    private final LongAdder waits = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private volatile SpaceGiver giver = isCleaningHelping -> false;

    /** Creates a gate over the space that the monitor measures. */
    public SpaceGate(SpaceMonitor monitor) {
        this.monitor = monitor;
    }

    /** Sets the owner of data that can be released when space is short; replaces the last. */
    public void whenShort(SpaceGiver use) {
        giver = use;
    }

    /** Admits a transaction. One without changes needs no space and never waits. */
    public void admit(Transaction transaction) throws CubeUnavailableException {
        if (!transaction.changes().isEmpty()) {
            admit(
                    transaction.makesRoom()
                            ? SegmentLog.SpacePriority.DELETE
                            : SegmentLog.SpacePriority.CLIENT);
        }
    }

    /**
     * Waits while space is short and cleaning can help. When the last attempt to clean freed
     * nothing, the write goes on, and fails later if it finds no space.
     *
     * @throws CubeUnavailableException BUSY when the space does not become free in time
     */
    public void admit(SegmentLog.SpacePriority priority) throws CubeUnavailableException {
        if (!monitor.isTight(priority) || !monitor.isCleaning()) {
            return;
        }
        waits.increment();
        try {
            boolean isAdmitted =
                    monitor.awaitWhile(
                            () -> monitor.isTight(priority) && mayHelp(priority),
                            TimeUnit.MILLISECONDS.toNanos(ADMISSION_MILLIS_MAX));
            if (!isAdmitted) {
                refused.increment();
                throw new CubeUnavailableException(
                        Reason.BUSY,
                        "writes come faster than space is reclaimed: try again in a moment");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CubeUnavailableException(
                    Reason.CLOSED, "interrupted while waiting for space");
        }
    }

    /** The giver releases data by deletes, so deletes must not wait for the giver. */
    private boolean mayHelp(SegmentLog.SpacePriority priority) {
        boolean isCleaningHelping = !monitor.isHopeless();
        boolean isLetGo =
                priority == SegmentLog.SpacePriority.CLIENT
                        && giver.spaceIsShort(isCleaningHelping);
        return isCleaningHelping || isLetGo;
    }

    /**
     * Decides what becomes of a write that the log had no room for, and wakes the cleaner. The
     * client is to try again (BUSY) as long as cleaning or the giver may help. They cannot where
     * the services of the log are away (BUSY): then nothing is cleaned or released.
     */
    public SpaceRefusal refuse(CubeUnavailableException full) {
        if (full.reason() == Reason.BUSY) {
            return new SpaceRefusal(full, true);
        }
        refused.increment();
        if (!monitor.isCleaning()) {
            return new SpaceRefusal(full, true);
        }
        monitor.wake();
        boolean isLast = monitor.isHopeless();
        if (!mayHelp(SegmentLog.SpacePriority.CLIENT)) {
            return new SpaceRefusal(full, true);
        }
        CubeUnavailableException busy =
                new CubeUnavailableException(
                        Reason.BUSY, "space is being reclaimed: try again in a moment");
        busy.initCause(full);
        return new SpaceRefusal(busy, isLast);
    }

    /** Returns the number of writes that waited for space. */
    public long waits() {
        return waits.sum();
    }

    /** Returns the number of writes refused for lack of space. */
    public long refused() {
        return refused.sum();
    }
}
