package io.volute.server.cluster;

import io.volute.server.config.ServerConfig;
import io.volute.server.metrics.StandbyFigures;
import io.volute.server.startup.CubeFiles;
import io.volute.storage.Cubes;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standby indexes of a node that does not own the store. They follow the logs of all cubes, so
 * that a take-over by this node replays seconds. A thread of its own does this until {@link
 * #close}; the data directory is locked meanwhile.
 */
final class Standby implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Standby.class);

    private static final long PAUSE_MILLIS = 250;

    /** First pause behind a failed step, and the longest: each one doubles it. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long RETRY_NANOS_LAST = TimeUnit.MINUTES.toNanos(1);

    /** Time between two publications of the lag. */
    private static final long LAG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ServerConfig config;
    private final CubeFiles.Means means;
    private final BooleanSupplier isOtherServing;
    private final Readiness readiness;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<String, Followed> cubes = new ConcurrentSkipListMap<>();
    private final StandbyViews views;
    private final Thread thread;
    private long published;

    /** A cube, and the time since which it is followed. */
    private static final class Followed {
        private final Cubes.Standby index;
        private final long since;
        private String failure = "";
        private long notBefore;
        private long retryNanos = RETRY_NANOS;

        Followed(Cubes.Standby index, long now) {
            this.index = index;
            this.since = now;
            this.notBefore = now;
        }
    }

    /** Takes the state of the standby for other nodes. */
    interface Readiness {
        /** Sets whether a take-over by this node need not build an index. */
        void setReady(boolean isReady);

        /** Sets the whole seconds by which the standby of each cube is behind the owner. */
        void setLags(Map<String, Long> lagSeconds);
    }

    private Standby(
            ServerConfig config,
            CubeFiles.Means means,
            StandbyStore.Options options,
            BooleanSupplier isOtherServing,
            Readiness readiness) {
        this.config = config;
        this.means = means;
        this.isOtherServing = isOtherServing;
        this.readiness = readiness;
        this.views = new StandbyViews(options, means.nanos());
        this.published = means.nanos().getAsLong() - LAG_NANOS;
        this.thread = Thread.ofPlatform().name("standby-0").unstarted(this::run);
    }

    /**
     * Starts to follow the cubes.
     *
     * @param options of the store for reading
     * @param isOtherServing returns whether another node has the store
     */
    static Standby start(
            ServerConfig config,
            CubeFiles.Means means,
            StandbyStore.Options options,
            BooleanSupplier isOtherServing,
            Readiness readiness) {
        Standby standby = new Standby(config, means, options, isOtherServing, readiness);
        standby.thread.start();
        return standby;
    }

    /** Returns the views of the store for reads. */
    StandbyViews views() {
        return views;
    }

    /** Returns the figures of each cube, by name. */
    Map<String, StandbyFigures> figures() {
        Map<String, StandbyFigures> all = new TreeMap<>();
        cubes.forEach(
                (name, each) -> {
                    StandbyReport now = each.index.report();
                    long lag = means.nanos().getAsLong() - now.completeAt().orElse(each.since);
                    all.put(
                            name,
                            new StandbyFigures(
                                    now.state() == State.FOLLOWING,
                                    lag / 1e9,
                                    now.behindBytes(),
                                    now.builds()));
                });
        return all;
    }

    private void run() {
        try {
            while (!isOtherServing.getAsBoolean()) {
                if (closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            try (StoreDirectory directory =
                            StoreDirectory.open(
                                    config.dataDirectory(), means.files(), means.clock());
                    CubeFiles files = new CubeFiles(config, directory, means, Optional.empty())) {
                follow(files);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("this node has no standby, and a take-over takes longer: {}", e.getMessage());
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node follows no cube any more");
        }
    }

    private void follow(CubeFiles files) throws InterruptedException {
        readiness.setReady(false);
        try {
            do {
                step(files);
                publish();
            } while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } finally {
            views.close();
            cubes.values().forEach(each -> close(each.index));
        }
    }

    private boolean isReady() {
        return !cubes.isEmpty()
                && cubes.values().stream()
                        .allMatch(each -> each.index.report().state() != State.BUILDING);
    }

    private void publish() {
        readiness.setReady(isReady());
        long now = means.nanos().getAsLong();
        if (now - published >= LAG_NANOS) {
            published = now;
            Map<String, Long> lags = new TreeMap<>();
            figures().forEach((name, each) -> lags.put(name, (long) each.lagSeconds()));
            readiness.setLags(lags);
        }
    }

    private void step(CubeFiles files) {
        try {
            for (String name : files.cubesOnBookKeeper()) {
                if (!cubes.containsKey(name)) {
                    cubes.put(name, new Followed(files.follow(name), means.nanos().getAsLong()));
                }
            }
        } catch (IOException e) {
            LOG.warn("the cubes to follow are not known: {}", e.getMessage());
        }
        cubes.forEach(
                (name, cube) -> {
                    if (!name.equals(StoreCubes.SYSTEM)) {
                        step(name, cube);
                    }
                });
        // Last, as the views of several cubes need it.
        Optional.ofNullable(cubes.get(StoreCubes.SYSTEM))
                .ifPresent(system -> step(StoreCubes.SYSTEM, system));
        Map<String, Cubes.Standby> indexes = new TreeMap<>();
        cubes.forEach((name, cube) -> indexes.put(name, cube.index));
        views.step(indexes);
    }

    private void step(String name, Followed cube) {
        long begun = means.nanos().getAsLong();
        if (begun - cube.notBefore < 0) {
            return;
        }
        try {
            State before = cube.index.report().state();
            cube.index.step();
            State now = cube.index.report().state();
            if (now != before && now == State.FOLLOWING) {
                LOG.info("the standby of cube {} follows its owner", name);
            }
            cube.failure = "";
        } catch (IOException | RuntimeException e) {
            String failure = String.valueOf(e.getMessage());
            if (closed.getCount() > 0 && !failure.equals(cube.failure)) {
                LOG.warn("the standby of cube {} tries again: {}", name, failure);
            }
            cube.failure = failure;
        }
        if (!cube.failure.isEmpty() || cube.index.report().state() == State.BUILDING) {
            cube.notBefore = means.nanos().getAsLong() + cube.retryNanos;
            cube.retryNanos = Math.min(2 * cube.retryNanos, RETRY_NANOS_LAST);
        } else {
            cube.retryNanos = RETRY_NANOS;
        }
    }

    private static void close(Cubes.Standby index) {
        try {
            index.close();
        } catch (IOException e) {
            LOG.warn("a standby index was not flushed: {}", e.getMessage());
        }
    }

    /** Flushes the indexes and releases the data directory. */
    @Override
    public void close() {
        closed.countDown();
        cubes.values().forEach(each -> each.index.stop());
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
