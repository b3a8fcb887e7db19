package io.volute.server.cluster.standby;

import io.volute.server.metrics.StandbyFigures;
import io.volute.server.startup.CubeFiles;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.Position;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.CubeViews;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standby indexes of a node. They follow the logs of all cubes that this node has not opened,
 * so that a take-over by this node replays seconds. A thread of its own does this until {@link
 * #close}. Thread-safe.
 */
public final class Standby implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Standby.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Time between two publications of the lag. */
    private static final long LAG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final CubeFiles files;
    private final LongSupplier nanos;
    private final BooleanSupplier isFollowing;
    private final Readiness readiness;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<String, FollowedIndex> cubes = new ConcurrentSkipListMap<>();

    /** Names of the cubes that this node has opened, or opens. */
    private final Set<String> left = ConcurrentHashMap.newKeySet();

    private final StandbyViews views;
    private final FollowedViews single;
    private final Thread thread;
    private final FollowedCube system;
    private volatile BooleanSupplier changed = () -> true;

    // Used by the thread alone.
    private long published;
    private Optional<BooleanSupplier> followed = Optional.empty();
    private Position copiedTo = new Position(0, 0);

    /** Takes the state of the standby for other nodes. */
    public interface Readiness {
        /** Sets whether a take-over by this node need not build an index. */
        void setReady(boolean isReady);

        /** Sets the whole seconds by which the standby of each cube is behind the owner. */
        void setLags(Map<String, Long> lagSeconds);
    }

    private Standby(
            CubeFiles files,
            FollowedCube system,
            StandbyStore.Options options,
            BooleanSupplier isFollowing,
            Readiness readiness,
            LongSupplier nanos) {
        this.files = files;
        this.system = system;
        this.nanos = nanos;
        this.isFollowing = isFollowing;
        this.readiness = readiness;
        this.views = new StandbyViews(options, nanos);
        this.single = new FollowedViews(options.clock(), nanos, files::passed);
        this.published = nanos.getAsLong() - LAG_NANOS;
        this.thread = Thread.ofPlatform().name("standby-0").unstarted(this::run);
    }

    /**
     * Starts to follow the cubes.
     *
     * @param files opens the standby indexes
     * @param system takes the newest view of the system cube while another node has it
     * @param options of the store for reading
     * @param isFollowing returns whether there is something to follow: another node has the store,
     *     or this one has
     * @param nanos a clock that only goes forward
     */
    public static Standby start(
            CubeFiles files,
            FollowedCube system,
            StandbyStore.Options options,
            BooleanSupplier isFollowing,
            Readiness readiness,
            LongSupplier nanos) {
        Standby standby = new Standby(files, system, options, isFollowing, readiness, nanos);
        standby.thread.start();
        return standby;
    }

    /**
     * Ends to follow a cube, which this node opens now. Its index is flushed, so that the opening
     * continues it.
     */
    public void leave(String cube) {
        left.add(cube);
        Optional.ofNullable(cubes.remove(cube))
                .ifPresent(
                        index -> {
                            index.stop();
                            views.drop();
                            single.drop(cube);
                            close(index);
                            // A look that was under way may have made one more.
                            single.drop(cube);
                        });
    }

    /** Follows a cube again, which this node has closed. */
    public void join(String cube) {
        if (left.remove(cube) && cube.equals(StoreCubes.SYSTEM)) {
            readiness.setReady(false);
        }
    }

    /**
     * Sets what follows each new view of the system cube.
     *
     * @param follows returns whether all that depends on the cube has followed. Otherwise the lag
     *     grows, and it is called again
     */
    public void whenSystemChanges(BooleanSupplier follows) {
        changed = follows;
    }

    /** Returns the views of the store for reads. */
    public StandbyViews views() {
        return views;
    }

    /** Returns the views of single cubes for reads. */
    public CubeViews singleViews() {
        return () -> new Reading(nanos.getAsLong());
    }

    /** Reads of cubes with all commits that were acknowledged before a time. */
    private final class Reading implements CubeViews.Reading {
        private final long begun;

        Reading(long begun) {
            this.begun = begun;
        }

        @Override
        public void awaitSystem() throws CubeUnavailableException {
            if (!single.await(system, StoreCubes.SYSTEM, begun)) {
                throw FollowedViews.notReady(StoreCubes.SYSTEM);
            }
        }

        @Override
        public CubeViews.View view(String cube) throws CubeUnavailableException {
            return single.use(cube, begun);
        }
    }

    /** Returns the figures of each cube, by name. */
    public Map<String, StandbyFigures> figures() {
        Map<String, StandbyFigures> all = new TreeMap<>();
        cubes.forEach((name, each) -> all.put(name, each.figures()));
        return all;
    }

    private void run() {
        try {
            while (!isFollowing.getAsBoolean()) {
                if (closed.await(PAUSE_NANOS, TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
            follow();
        } catch (RuntimeException e) {
            LOG.warn("this node has no standby, and a take-over takes longer: {}", e.getMessage());
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node follows no cube any more");
        }
    }

    private void follow() throws InterruptedException {
        readiness.setReady(left.contains(StoreCubes.SYSTEM));
        try {
            do {
                tryStep(this::step);
            } while (!rest());
        } finally {
            views.close();
            single.close();
            cubes.values().forEach(Standby::close);
        }
    }

    /**
     * Rests until the next step. Meanwhile the cubes are followed whose views requests wait for.
     * Returns whether the standby is closed.
     */
    private boolean rest() throws InterruptedException {
        long begun = nanos.getAsLong();
        long left = PAUSE_NANOS;
        while (left > 0 && closed.getCount() > 0) {
            Set<String> wished = single.awaitWish(left);
            if (!wished.isEmpty()) {
                tryStep(() -> wished.forEach(this::step));
            }
            left = PAUSE_NANOS - (nanos.getAsLong() - begun);
        }
        return closed.getCount() == 0;
    }

    /** Follows cubes. After a failure the next step tries it again. */
    private void tryStep(Runnable step) {
        try {
            step.run();
            publish();
        } catch (RuntimeException e) {
            LOG.error("the standbys of this node try again", e);
        }
    }

    /** Returns whether a take-over of the store by this node need not build an index. */
    private boolean isReady() {
        return left.contains(StoreCubes.SYSTEM)
                || !cubes.isEmpty()
                        && cubes.values().stream()
                                .allMatch(each -> each.report().state() != State.BUILDING);
    }

    private void publish() {
        readiness.setReady(isReady());
        long now = nanos.getAsLong();
        if (now - published >= LAG_NANOS) {
            published = now;
            Map<String, Long> lags = new TreeMap<>();
            figures().forEach((name, each) -> lags.put(name, (long) each.lagSeconds()));
            readiness.setLags(lags);
        }
    }

    private void step() {
        try {
            for (String name : files.cubesOnBookKeeper()) {
                if (!left.contains(name) && !cubes.containsKey(name)) {
                    add(name);
                }
            }
        } catch (IOException e) {
            LOG.warn("the cubes to follow are not known: {}", e.getMessage());
        }
        cubes.keySet().stream().filter(name -> !name.equals(StoreCubes.SYSTEM)).forEach(this::step);
        // Last, as the views of several cubes need it.
        step(StoreCubes.SYSTEM);
        views.step(new TreeMap<String, Cubes.Standby>(cubes));
    }

    /** Follows one cube, and passes what it has on to those who wait for it. */
    private void step(String name) {
        Optional<FollowedIndex> index = Optional.ofNullable(cubes.get(name));
        index.ifPresent(FollowedIndex::tryStep);
        if (name.equals(StoreCubes.SYSTEM)) {
            index.ifPresent(this::copy);
        }
        single.step(name, index);
    }

    private void add(String name) throws IOException {
        FollowedIndex index = new FollowedIndex(name, files.follow(name), nanos);
        cubes.put(name, index);
        if (left.contains(name)) {
            // This node has opened it meanwhile.
            cubes.remove(name);
            close(index);
        }
    }

    /** Passes a new view of the system cube on. */
    private void copy(FollowedIndex index) {
        BooleanSupplier follows = changed;
        StandbyReport now = index.report();
        if (now.state() != State.FOLLOWING || now.completeAt().isEmpty()) {
            return;
        }
        boolean isKnown =
                system.hasView()
                        && followed.equals(Optional.of(follows))
                        && now.position().equals(copiedTo);
        if (!isKnown) {
            Optional<Cube> view = index.view(Instant.EPOCH);
            if (view.isEmpty()) {
                return;
            }
            system.follow(view.get());
            if (!follows.getAsBoolean()) {
                return;
            }
            followed = Optional.of(follows);
            copiedTo = now.position();
        }
        system.completeAt(now.completeAt().getAsLong());
    }

    private static void close(Cubes.Standby index) {
        try {
            index.close();
        } catch (IOException e) {
            LOG.warn("a standby index was not flushed: {}", e.getMessage());
        }
    }

    /** Flushes the indexes. */
    @Override
    public void close() {
        closed.countDown();
        single.close();
        cubes.values().forEach(Cubes.Standby::stop);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
