package io.volute.server;

import io.volute.server.config.HistoryRoom;
import io.volute.server.config.HistoryRoom.UnderPressure;
import io.volute.server.metrics.KindCounts;
import io.volute.storage.Cube;
import io.volute.storage.SpaceReport;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes history that has been kept for long enough, and the oldest when it takes more than its
 * share or space runs low: what clients write now comes before what they wrote once, unless they
 * have chosen otherwise. Says so when it does.
 */
final class HistoryUpkeep implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryUpkeep.class);

    /** Short even after failures: clients may be waiting for room. */
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofMinutes(1));

    /** Free space for clients below which history goes, as a share of the capacity. */
    private static final double SHORT_SHARE = 0.05;

    /** What is free or dead, as a share of the capacity: with less, cleaning costs too much. */
    private static final double WINNABLE_SHARE = 0.1;

    /** States removed where cleaning should help: it must have time to make space of them. */
    private static final long STATES_AT_ONCE = 5000;

    /** Every so many looks what is old goes, and where space stays short, some more. */
    private static final int SLOW_LOOKS = 5;

    /** Every so many looks the share is measured: that means a walk over all that is kept. */
    private static final int SHARE_LOOKS = 150;

    private final Cube cube;
    private final ObjectStore store;
    private final HistoryRoom room;
    private long looks;
    private final KindCounts<Why> removals = new KindCounts<>(Why.class);

    /** Why states are removed. */
    private enum Why {
        AGE,
        SHARE,
        SPACE
    }

    HistoryUpkeep(Cube cube, ObjectStore store, HistoryRoom room) {
        this.cube = cube;
        this.store = store;
        this.room = room;
    }

    @Override
    public void look() throws IOException {
        long removed = trim();
        LOG.debug("{} states of history removed", removed);
    }

    /** States that were removed since start, by why. */
    Map<String, Long> removed() {
        return removals.byLabel();
    }

    /** Looks once; returns how many states were removed. */
    long trim() throws IOException {
        long look = looks++;
        long removed = 0;
        if (look % SLOW_LOOKS == 0) {
            removed = ObjectStores.trimHistory(store);
            removals.add(Why.AGE, removed);
        }
        if (room.underPressure() == UnderPressure.TRIM) {
            removed += look % SHARE_LOOKS == 0 ? trimToShare() : 0;
            removed += makeRoom(look % SLOW_LOOKS == 0);
        }
        return removed;
    }

    /**
     * @param patient whether cleaning had time since the last such look
     */
    private long makeRoom(boolean patient) throws IOException {
        SpaceReport.Totals totals = cube.space().totals();
        if (totals.clientFree() >= totals.capacity() * SHORT_SHARE) {
            return 0;
        }
        long missing = (long) (totals.capacity() * WINNABLE_SHARE) - totals.winnable();
        long early = 0;
        if (missing > 0) {
            early = ObjectStores.trimOldestHistoryBytes(store, missing);
        } else if (patient) {
            early = ObjectStores.trimOldestHistory(store, STATES_AT_ONCE);
        }
        removals.add(Why.SPACE, early);
        if (early > 0) {
            LOG.warn("space is short: {} states of history were removed before their time", early);
        }
        return early;
    }

    private long trimToShare() throws IOException {
        long most = (long) (cube.space().totals().capacity() * room.share());
        long early = ObjectStores.trimHistoryTo(store, most);
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
