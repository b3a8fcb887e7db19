package io.volute.server.upkeep;

import io.volute.server.Upkeep;
import io.volute.server.config.HistoryRoom;
import io.volute.server.config.HistoryRoom.UnderPressure;
import io.volute.server.metrics.KindCounts;
import io.volute.storage.CubeMaintenance;
import io.volute.storage.SpaceGiver;
import io.volute.storage.report.SpaceReport;
import io.volute.versioning.ClockState;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes history whose retention is over, and some of it earlier when space runs low. New writes
 * of clients take precedence over old ones, unless the settings differ. Early removal is logged.
 */
public final class HistoryUpkeep implements Upkeep.Task, SpaceGiver {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryUpkeep.class);

    /** Short even after failures: clients may be waiting for room. */
    public static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofMinutes(1));

    /**
     * Free space for clients below which history goes, as a share of the capacity; not below what
     * makes clients wait.
     */
    private static final double SHORT_SHARE = 0.05;

    private static final int SHORT_SEGMENTS = 3;

    /** Share of the capacity that must be free or dead; with less, cleaning costs too much. */
    private static final double WINNABLE_SHARE = 0.1;

    private static final int WINNABLE_SEGMENTS = 4;

    /**
     * Share of the capacity that must be free or dead, or history is limited to its own share. A
     * thief who deletes everything in a half-full store leaves more than that share of history, and
     * room enough for all of it.
     */
    private static final double ROOMY_SHARE = 0.25;

    /**
     * Minimum share of the capacity to release when cleaning gains nothing from the present data.
     */
    private static final double STUCK_SHARE = 0.01;

    /** Minimum time between two looks on behalf of waiting clients. */
    private static final long HURRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** States removed where cleaning should help: it must have time to make space of them. */
    private static final long STATES_AT_ONCE = 5000;

    private final CubeMaintenance cube;
    private final VersionedStore store;
    private final HistoryRoom room;
    private final LongSupplier nanos;

    /** Paces the removal of expired history and, while space stays short, of some more. */
    private final Every slowly = new Every(Duration.ofSeconds(10));

    /** The share is measured: that means a walk over all that is kept. */
    private final Every rarely = new Every(Duration.ofMinutes(5));

    private final Every told = new Every(Duration.ofMinutes(1));

    /** States whose early removal is not in the log yet. */
    private long untold;

    /** The time at which the last look ended. */
    private volatile long looked;

    private volatile Runnable wake = () -> {};

    /** True when cleaning gained nothing since the last look. */
    private volatile boolean isStuck;

    /** True when the last look that had to release history found none to release. */
    private volatile boolean isExhausted;

    private final KindCounts<Why> removals = new KindCounts<>(Why.class);

    /** Why states are removed. */
    private enum Why {
        AGE,
        SHARE,
        SPACE
    }

    public HistoryUpkeep(
            CubeMaintenance cube, VersionedStore store, HistoryRoom room, LongSupplier nanos) {
        this.cube = cube;
        this.store = store;
        this.room = room;
        this.nanos = nanos;
        this.looked = nanos.getAsLong() - HURRY_NANOS;
    }

    /** Limits an action to one run per pause. */
    private final class Every {
        private final long pause;
        private OptionalLong last = OptionalLong.empty();

        Every(Duration pause) {
            this.pause = pause.toNanos();
        }

        boolean isDue() {
            long now = nanos.getAsLong();
            boolean isDue = last.isEmpty() || now - last.getAsLong() >= pause;
            last = isDue ? OptionalLong.of(now) : last;
            return isDue;
        }
    }

    @Override
    public void look() throws IOException {
        ClockState clock = store.clock();
        if (!clock.behind().isZero()) {
            LOG.debug("the clock is {} earlier than the last commit", clock.behind());
        }
        long removed = trim();
        looked = nanos.getAsLong();
        LOG.debug("{} states of history removed", removed);
    }

    /** States that were removed since start, by why. */
    public Map<String, Long> removed() {
        return removals.byLabel();
    }

    /** Begins to look at once when clients wait for space, besides as often as it does anyway. */
    public void whenShort(Runnable lookNow) {
        wake = lookNow;
        cube.whenShort(this);
    }

    @Override
    public boolean spaceIsShort(boolean isCleaningHelping) {
        if (room.underPressure() != UnderPressure.TRIM) {
            return false;
        }
        if (!isCleaningHelping) {
            isStuck = true;
        }
        if (!isExhausted && nanos.getAsLong() - looked >= HURRY_NANOS) {
            wake.run();
        }
        return !isExhausted;
    }

    /** Looks once; returns how many states were removed. */
    long trim() throws IOException {
        boolean isSlow = slowly.isDue();
        long removed = 0;
        if (isSlow) {
            removed = store.retention().trim();
            removals.add(Why.AGE, removed);
        }
        if (room.underPressure() == UnderPressure.TRIM) {
            removed += rarely.isDue() ? trimToShare() : 0;
            removed += makeRoom(isSlow);
        }
        return removed;
    }

    /**
     * @param patient whether cleaning had time since the last such look
     */
    private long makeRoom(boolean patient) throws IOException {
        boolean wasStuck = isStuck;
        isStuck = false;
        SpaceReport space = cube.spaceAtGlance();
        SpaceReport.Totals totals = space.totals();
        if (totals.clientFree() >= most(space, SHORT_SHARE, SHORT_SEGMENTS)) {
            return 0;
        }
        long wanted = most(space, WINNABLE_SHARE, WINNABLE_SEGMENTS) - totals.winnable();
        long missing = Math.max(wanted, wasStuck ? most(space, STUCK_SHARE, 1) : 0);
        long early = 0;
        if (missing > 0) {
            early = store.retention().trimOldestBytes(missing);
            isExhausted = early == 0;
        } else if (patient) {
            early = store.retention().trimOldest(STATES_AT_ONCE);
        }
        removals.add(Why.SPACE, early);
        untold += early;
        if (untold > 0 && told.isDue()) {
            LOG.warn("space is short: {} states of history were removed before their time", untold);
            untold = 0;
        }
        return early;
    }

    private static long most(SpaceReport space, double share, int segments) {
        return Math.max(
                (long) (space.totals().capacity() * share), segments * space.segmentBytes());
    }

    private long trimToShare() throws IOException {
        SpaceReport.Totals totals = cube.space().totals();
        if (totals.winnable() >= totals.capacity() * ROOMY_SHARE) {
            return 0;
        }
        long most = (long) (totals.capacity() * room.share());
        long early = store.retention().trimTo(most);
        removals.add(Why.SHARE, early);
        if (early > 0) {
            LOG.warn(
                    "history took more than its share, {} bytes: {} states of it were removed"
                            + " before their time",
                    most,
                    early);
        }
        return early;
    }
}
