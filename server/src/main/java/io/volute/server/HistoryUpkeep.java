package io.volute.server;

import io.volute.storage.Cube;
import io.volute.storage.SpaceReport;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes history that has been kept for long enough, and the oldest when space runs low: what
 * clients write now comes before what they wrote once. Says so when it does.
 */
final class HistoryUpkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryUpkeep.class);
    private static final long PERIOD_SECONDS = 10;

    /** Free space for clients below which history goes, as a share of the capacity. */
    private static final double SHORT_SHARE = 0.05;

    /** States removed between two looks: cleaning must have time to make space of them. */
    private static final long STATES_AT_ONCE = 5000;

    private final Cube cube;
    private final ObjectStore store;
    private final ScheduledExecutorService executor;

    private HistoryUpkeep(Cube cube, ObjectStore store, ScheduledExecutorService executor) {
        this.cube = cube;
        this.store = store;
        this.executor = executor;
    }

    static HistoryUpkeep start(Cube cube, ObjectStore store) {
        ScheduledExecutorService executor =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("history-upkeep").factory());
        HistoryUpkeep upkeep = new HistoryUpkeep(cube, store, executor);
        ScheduledFuture<?> runs =
                executor.scheduleWithFixedDelay(
                        upkeep::run, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
        assert !runs.isCancelled();
        return upkeep;
    }

    private void run() {
        try {
            look();
        } catch (IOException | RuntimeException e) {
            LOG.warn("history is not trimmed now: {}", e.getMessage());
        }
    }

    /** Looks once; returns how many states were removed. */
    long look() throws IOException {
        long removed = ObjectStores.trimHistory(store);
        if (isShort(cube.space().totals())) {
            long early = ObjectStores.trimOldestHistory(store, STATES_AT_ONCE);
            if (early > 0) {
                LOG.warn(
                        "space is short: {} states of history were removed before their time",
                        early);
            }
            removed += early;
        }
        return removed;
    }

    private static boolean isShort(SpaceReport.Totals totals) {
        return totals.clientFree() < totals.capacity() * SHORT_SHARE;
    }

    @Override
    public void close() {
        // No interrupt: it would close the files that are being read.
        executor.shutdown();
        boolean isInterrupted = false;
        while (!executor.isTerminated()) {
            try {
                boolean ended = executor.awaitTermination(1, TimeUnit.MINUTES);
                LOG.debug("history upkeep ended: {}", ended);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
