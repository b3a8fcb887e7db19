package io.volute.storage.cleaning;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.commit.GroupCommit;
import io.volute.storage.commit.IndexFlusher;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;

/**
 * The cleaning of one cube: admission of writes, the cleaning threads, and both levels of cleaning.
 * Thread-safe.
 */
public final class CubeCleaning {
    private final LogSettings settings;
    private final SpaceMonitor monitor;
    private final SpaceGate gate;
    private final Compactor compactor;
    private final Cleaner cleaner;
    private final CleaningScheduler scheduler;
    private final SpaceReporter view;

    /**
     * Wires the parts; {@link #start} starts the threads.
     *
     * @param changes rows of the index that the last batches changed
     * @param lookups lookups of blobs that have not pinned their segments yet
     */
    public CubeCleaning(
            CubeStorage storage,
            GroupCommit commits,
            IndexFlusher flusher,
            RecentChanges changes,
            PhasedCount lookups,
            CubeHealth health,
            LogSettings settings) {
        this.settings = settings;
        SegmentLog log = storage.log();
        int segmentBytes = settings.segmentBytes();
        this.monitor =
                new SpaceMonitor(
                        log::clientBytes,
                        log::deleteBytes,
                        segmentBytes,
                        settings.cleaning().threads() > 0);
        this.gate = new SpaceGate(monitor);
        this.compactor = new Compactor(storage, lookups, health, settings.cleaning());
        this.cleaner = new Cleaner(storage, changes, commits, flusher, settings);
        SpaceFigures figures = new SpaceFigures(storage, compactor);
        Balancer balancer = new Balancer(settings.cleaning(), segmentBytes);
        this.scheduler =
                new CleaningScheduler(monitor, balancer, figures, compactor, cleaner, health);
        this.view =
                new SpaceReporter(
                        storage, compactor, figures, scheduler.decisions(), cleaner, segmentBytes);
    }

    /** Starts the cleaning threads, if the settings have any. */
    public void start(CubeThreads threads) {
        scheduler.start(settings.cleaning().threads(), threads);
    }

    /** Ends the cleaning threads between two batches of a pass, and lets waiting writes go on. */
    public void stop() {
        scheduler.stop();
    }

    /** Compacts all segments now; returns the bytes given back. */
    public long compactNow() throws IOException {
        long given = compactor.compactAll();
        monitor.wake();
        return given;
    }

    /** Runs one pass of combined cleaning now, at full speed; returns the bytes won. */
    public long combineNow() throws IOException {
        return cleaner.clean(CleaningPass.Pace.NONE);
    }

    /** Returns the measured free space, which takes what clients write. */
    public SpaceMonitor monitor() {
        return monitor;
    }

    /** Returns the admission control. */
    public SpaceGate gate() {
        return gate;
    }

    /** Returns the decisions of the cleaning threads. */
    public DecisionCounts decisions() {
        return scheduler.decisions();
    }

    /** Returns the report of the space. */
    public SpaceReporter view() {
        return view;
    }

    /** Returns what gives dead pages of sealed segments back. */
    public Compactor compactor() {
        return compactor;
    }

    /** Returns what runs passes. */
    public Cleaner cleaner() {
        return cleaner;
    }
}
