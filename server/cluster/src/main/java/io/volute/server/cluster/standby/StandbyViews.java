package io.volute.server.cluster.standby;

import io.volute.server.cluster.standby.StandbyStore.ViewedCube;
import io.volute.server.s3.LagHeader;
import io.volute.server.s3.request.S3Handler;
import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.Position;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest view of the store by the standby indexes of a node. While requests want it, the thread
 * of the standby replaces it after each step that found commits. A request uses one view from its
 * beginning to its end, so nothing changes beneath it.
 *
 * <p>{@link #step} is called by the thread of the standby, the rest by any.
 */
public final class StandbyViews implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandbyViews.class);

    /** Time without a request after which no view is kept. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Time that a request waits for the first view. */
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A view takes at most this part of the time of the thread. */
    private static final int SHARE = 10;

    /** The greatest difference of the clocks of two nodes: each is a minute off ZooKeeper's. */
    private static final Duration CLOCKS = Duration.ofMinutes(2);

    private final StandbyStore.Options options;
    private final long lagMax;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Optional<View> current = Optional.empty();
    private boolean isReady;
    private boolean isClosed;
    private boolean isWanted;
    private long wantedAt;

    /** Used by {@link #step} alone: the time before which no view is made. */
    private long notBefore;

    /** Used by {@link #step} alone: why the last view could not be made. */
    private String failure = "";

    /** Used by {@link #step} alone: the places of buckets in the view before. */
    private Optional<View> before = Optional.empty();

    StandbyViews(StandbyStore.Options options, LongSupplier nanos) {
        this.options = options;
        this.lagMax = options.config().cluster().orElseThrow().standbyLag().toNanos();
        this.nanos = nanos;
        this.notBefore = nanos.getAsLong();
    }

    /** The use of a view by one request. */
    interface Use extends AutoCloseable {
        S3Handler s3();

        @Override
        void close();
    }

    /** A view, which the last of its users closes. */
    private final class View {
        private final StandbyStore store;
        private final Map<String, Position> positions;
        private long completeAt;
        private int users = 1;

        View(StandbyStore store, Map<String, Position> positions, long completeAt) {
            this.store = store;
            this.positions = positions;
            this.completeAt = completeAt;
        }

        private Use use() {
            users++;
            long complete = completeAt;
            S3Handler handler = new LagHeader(store.s3(), () -> nanos.getAsLong() - complete);
            return new Use() {
                @Override
                public S3Handler s3() {
                    return handler;
                }

                @Override
                public void close() {
                    release(View.this);
                }
            };
        }
    }

    /**
     * Returns the newest view; empty when the standby is not ready, or its lag is above the bound.
     */
    Optional<Use> use() throws InterruptedException {
        lock.lock();
        try {
            isWanted = true;
            wantedAt = nanos.getAsLong();
            long rest = FIRST_NANOS;
            while (current.isEmpty() && isReady && !isClosed && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            return current.filter(view -> nanos.getAsLong() - view.completeAt <= lagMax)
                    .map(View::use);
        } finally {
            lock.unlock();
        }
    }

    private void release(View view) {
        boolean isLast;
        lock.lock();
        try {
            isLast = --view.users == 0;
        } finally {
            lock.unlock();
        }
        if (isLast) {
            view.store.close();
        }
    }

    /** Takes the standby indexes behind a step. */
    void step(Map<String, Cubes.Standby> indexes) {
        Map<String, StandbyReport> ready = new TreeMap<>();
        indexes.forEach(
                (name, index) -> {
                    StandbyReport report = index.report();
                    if (report.state() == State.FOLLOWING && report.completeAt().isPresent()) {
                        ready.put(name, report);
                    }
                });
        if (!begin(ready.containsKey(StoreCubes.SYSTEM))) {
            replace(Optional.empty());
            return;
        }
        Map<String, Position> positions = new TreeMap<>();
        ready.forEach((name, report) -> positions.put(name, report.position()));
        long now = nanos.getAsLong();
        long complete =
                now
                        - ready.values().stream()
                                .mapToLong(report -> now - report.completeAt().getAsLong())
                                .max()
                                .orElseThrow();
        if (!isStillCurrent(positions, complete) && now - notBefore >= 0) {
            String failed = "";
            try {
                add(indexes, positions, complete);
            } catch (IOException | RuntimeException e) {
                failed = String.valueOf(e.getMessage());
                if (!failed.equals(failure)) {
                    LOG.warn("reads from this standby go to the owner: {}", failed, e);
                }
            }
            failure = failed;
            long end = nanos.getAsLong();
            notBefore = end + (end - now) * SHARE;
        }
    }

    /** Returns whether a view is wanted and possible. */
    private boolean begin(boolean isReadyNow) {
        lock.lock();
        try {
            isReady = isReadyNow;
            isWanted &= nanos.getAsLong() - wantedAt < KEPT_NANOS;
            return isReady && isWanted;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the present view has everything; notes since when. */
    private boolean isStillCurrent(Map<String, Position> positions, long complete) {
        lock.lock();
        try {
            boolean isSame = current.filter(view -> view.positions.equals(positions)).isPresent();
            if (isSame) {
                current.get().completeAt = complete;
            }
            return isSame;
        } finally {
            lock.unlock();
        }
    }

    /** Returns an instant of which a view has all commits, whatever the owner's clock has. */
    static Instant known(Instant now, long lagNanos) {
        return now.minusNanos(lagNanos).minus(CLOCKS);
    }

    private void add(
            Map<String, Cubes.Standby> indexes, Map<String, Position> positions, long complete)
            throws IOException {
        Instant known = known(options.clock().instant(), nanos.getAsLong() - complete);
        Map<String, ViewedCube> views = new TreeMap<>();
        for (String name : positions.keySet()) {
            Cubes.Standby index = indexes.get(name);
            Optional<Cube> view = index.view(known);
            view.ifPresent(cube -> views.put(name, new ViewedCube(index.cubeId(), cube)));
        }
        View made = new View(StandbyStore.open(options, views), Map.copyOf(positions), complete);
        boolean isConsistent =
                views.size() == 1 || before.filter(last -> !haveMoved(last, made)).isPresent();
        before = Optional.of(made);
        if (isConsistent) {
            replace(Optional.of(made));
        } else {
            release(made);
        }
    }

    /**
     * Returns whether keys went to another cube between two views. The system cube of a view is
     * later than its other cubes, and all are later than the system cube of the view before. If a
     * bucket moved in between, its rows may be in neither cube of the view.
     */
    private static boolean haveMoved(View last, View made) {
        for (BucketInfo bucket :
                made.store
                        .cubes()
                        .store()
                        .listBuckets(Optional.empty(), "", "", Integer.MAX_VALUE)) {
            BucketName name = bucket.name();
            StoreCubes before = last.store.cubes();
            if (before.cubeOf(name).isPresent()
                    && !before.moves().parts(name).equals(made.store.cubes().moves().parts(name))) {
                return true;
            }
        }
        return false;
    }

    private void replace(Optional<View> by) {
        Optional<View> last;
        lock.lock();
        try {
            last = current;
            current = by;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        last.ifPresent(this::release);
    }

    /** Gives the present view up. Requests that use it fail when an index of it is closed. */
    void drop() {
        replace(Optional.empty());
    }

    /** Lets requests go elsewhere. Those under way fail when the indexes are closed. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        replace(Optional.empty());
    }
}
