package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.report.SpaceDecision;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cleaning threads. Each queries the balancer whenever clients have written enough, cleans for
 * as long as the balancer wants it and space is won, then waits for the next change. Thread-safe.
 */
final class CleaningScheduler {
    private static final Logger LOG = LoggerFactory.getLogger(CleaningScheduler.class);

    private final SpaceMonitor monitor;
    private final Balancer balancer;
    private final SpaceFigures figures;
    private final Compactor compactor;
    private final Cleaner cleaner;
    private final CubeHealth health;
    private final DecisionCounts decisions = new DecisionCounts();
    private final List<Thread> workers = new ArrayList<>();
    private final AtomicInteger working = new AtomicInteger();

    /** Creates a scheduler without threads; see {@link #start}. */
    public CleaningScheduler(
            SpaceMonitor monitor,
            Balancer balancer,
            SpaceFigures figures,
            Compactor compactor,
            Cleaner cleaner,
            CubeHealth health) {
        this.monitor = monitor;
        this.balancer = balancer;
        this.figures = figures;
        this.compactor = compactor;
        this.cleaner = cleaner;
        this.health = health;
    }

    /**
     * Starts the threads.
     *
     * @param count 0 for a cube that is cleaned on request only
     */
    public void start(int count, CubeThreads threads) {
        monitor.measure();
        for (int i = 0; i < count; i++) {
            workers.add(threads.newThread("clean-" + i, this::run));
        }
        workers.forEach(Thread::start);
        monitor.wake();
    }

    /** Returns what the balancer decided so far. */
    public DecisionCounts decisions() {
        return decisions;
    }

    private void run() {
        health.runUntilStopped("a cleaning thread", this::cleanUntilStopped);
    }

    private void cleanUntilStopped() {
        long seen = 0;
        while (health.isHealthy()) {
            if (!cleanOnce()) {
                seen = monitor.awaitLook(seen);
            }
            if (monitor.isStopped()) {
                return;
            }
        }
    }

    /** Decides and cleans once; returns whether it won space, so that it is worth going on. */
    private boolean cleanOnce() {
        working.incrementAndGet();
        long freed = 0;
        boolean isWanted = true;
        try {
            SpaceDecision decision = balancer.decide(figures.now());
            decisions.add(decision);
            monitor.setCushion(balancer.cushion(decision));
            LOG.debug("{}: {}", decision.action(), decision.words());
            isWanted = decision.action() != SpaceDecision.Action.NOTHING;
            freed =
                    switch (decision.action()) {
                        case NOTHING -> 0;
                        case COMPACT -> compactor.compactWorthwhile();
                        case COMBINE -> combine();
                    };
            if (freed <= 0) {
                // Readers hold what could be punched, or nothing is worth copying.
                freed =
                        switch (decision.action()) {
                            case NOTHING -> 0;
                            case COMPACT -> combine();
                            case COMBINE -> compactor.compactWorthwhile();
                        };
            }
        } catch (CubeUnavailableException e) {
            LOG.debug("not cleaned: {}", e.getMessage());
        } catch (IOException e) {
            LOG.warn("cleaning is postponed: {}", e.getMessage());
        }
        boolean isAlone = working.decrementAndGet() == 0;
        // Where another thread is at work, it may have taken all that is worth it.
        monitor.attempted(isWanted && freed <= 0 && isAlone);
        return freed > 0;
    }

    private long combine() throws IOException {
        return cleaner.clean(new CleaningPace(monitor));
    }

    /**
     * Stops the threads between two batches of a pass. Moved entries stay moved, the rest stays in
     * its origins.
     */
    public void stop() {
        monitor.stop();
        workers.forEach(UninterruptibleJoin::join);
    }
}
