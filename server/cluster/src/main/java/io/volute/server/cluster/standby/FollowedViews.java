package io.volute.server.cluster.standby;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Cubes;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.Position;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.CubeViews;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Views of single cubes that other nodes have. A request waits until a view has every commit that
 * was acknowledged before it; the wait wakes the thread of the standby. A cube without commits
 * keeps its view for later requests.
 *
 * <p>{@link #awaitWish} and {@link #step} are called by the thread of the standby, the rest by any.
 */
final class FollowedViews {
    /** Time that a request waits for a view. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Requests that wait for one cube at once: its owner may not answer, and anybody can ask. */
    static final int MOST_WAITING = 256;

    /** Time without a request after which no view is kept. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Age of a view that is replaced without new commits, as its past is complete later. */
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Pause before a cube is looked at again whose view was not new enough. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final InstantSource clock;
    private final LongSupplier nanos;
    private final LongConsumer passed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition made = lock.newCondition();
    private final Condition wished = lock.newCondition();
    private final Map<String, Followed> cubes = new HashMap<>();
    private boolean isClosed;

    /**
     * Creates views of no cube.
     *
     * @param nanos the clock of the standbys' reports
     * @param passed receives the last sequence of each view before a request uses it: later commits
     *     of this node must be greater
     */
    FollowedViews(InstantSource clock, LongSupplier nanos, LongConsumer passed) {
        this.clock = clock;
        this.nanos = nanos;
        this.passed = passed;
    }

    /** The present view of a cube, and who waits for the next. Guarded by the lock. */
    private static final class Followed {
        private Optional<Held> current = Optional.empty();

        /** The present view, and earlier ones that are used. */
        private final Set<Held> views = new HashSet<>();

        private Position position = new Position(0, 0);
        private long completeAt;
        private long madeAt;
        private long wantedAt;

        /** Number of requests that wait for the standby, and of those that need a view. */
        private int waiting;

        private int viewers;

        /** True if the standby was looked at since the last request came. */
        private boolean isTried;

        /** Number of times that this node has begun to open the cube. */
        private long drops;

        private boolean has(long begun) {
            return current.isPresent() && completeAt - begun >= 0;
        }
    }

    /** A view, which the last of its users closes. Guarded by the lock. */
    private final class Held {
        private final Followed of;
        private final FollowedCube cube;
        private int users = 1;

        Held(Followed of, FollowedCube cube) {
            this.of = of;
            this.cube = cube;
        }

        private CubeViews.View use() {
            users++;
            return new CubeViews.View() {
                @Override
                public Cube cube() {
                    return cube;
                }

                @Override
                public void close() {
                    release(Held.this);
                }
            };
        }
    }

    private void release(Held view) {
        boolean isLast;
        lock.lock();
        try {
            isLast = --view.users == 0 && view.of.views.remove(view);
        } finally {
            lock.unlock();
        }
        if (isLast) {
            view.cube.close();
        }
    }

    /** A wait while the standby of a cube is wished to be looked at. */
    @FunctionalInterface
    private interface Wait<T> {
        // The drops are those of the cube when the wait began.
        T end(long drops) throws InterruptedException, CubeUnavailableException;
    }

    /** Waits while the standby of a cube is looked at; viewers is 1 if a view is needed, or 0. */
    private <T> T wishing(String name, int viewers, Wait<T> wait) throws CubeUnavailableException {
        long drops;
        lock.lock();
        try {
            Followed cube = cubes.computeIfAbsent(name, any -> new Followed());
            if (cube.waiting >= MOST_WAITING) {
                throw notReady(name);
            }
            drops = cube.drops;
            cube.waiting++;
            cube.viewers += viewers;
            cube.isTried = false;
            wished.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            return wait.end(drops);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notReady(name);
        } finally {
            lock.lock();
            try {
                Followed cube = cubes.get(name);
                cube.waiting--;
                cube.viewers -= viewers;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until a cube that is followed all the time has every commit that was acknowledged
     * before a time; false if it has not in time.
     */
    boolean await(FollowedCube cube, String name, long begun) throws CubeUnavailableException {
        return cube.isComplete(begun)
                || wishing(name, 0, drops -> cube.awaitComplete(begun, WAIT_NANOS));
    }

    /**
     * Uses a view that has every commit that was acknowledged before a time.
     *
     * @throws CubeUnavailableException NOT_OPEN when there is none in time, or this node opens the
     *     cube
     */
    CubeViews.View use(String name, long begun) throws CubeUnavailableException {
        Optional<CubeViews.View> present = present(name, begun);
        return present.isPresent()
                ? present.get()
                : wishing(name, 1, drops -> await(name, begun, drops));
    }

    private Optional<CubeViews.View> present(String name, long begun) {
        lock.lock();
        try {
            return Optional.ofNullable(cubes.get(name))
                    .filter(cube -> !isClosed && cube.has(begun))
                    .map(this::use);
        } finally {
            lock.unlock();
        }
    }

    private CubeViews.View await(String name, long begun, long drops)
            throws InterruptedException, CubeUnavailableException {
        lock.lock();
        try {
            Followed cube = cubes.get(name);
            long left = WAIT_NANOS;
            while (!isClosed && cube.drops == drops && !cube.has(begun) && left > 0) {
                left = made.awaitNanos(left);
            }
            if (isClosed || cube.drops != drops || !cube.has(begun)) {
                throw notReady(name);
            }
            return use(cube);
        } finally {
            lock.unlock();
        }
    }

    private CubeViews.View use(Followed cube) {
        cube.wantedAt = nanos.getAsLong();
        return cube.current.orElseThrow().use();
    }

    static CubeUnavailableException notReady(String name) {
        return new CubeUnavailableException(
                        Reason.NOT_OPEN,
                        "cube "
                                + name
                                + " is on another node of the cluster, and the standby of this node"
                                + " has not reached the end of its log now: try again")
                .in(name);
    }

    /**
     * Waits until requests wait for the standbys of some cubes, at most for some time; returns
     * their names. A cube that was looked at in vain comes again after a pause.
     */
    Set<String> awaitWish(long mostNanos) throws InterruptedException {
        lock.lock();
        try {
            long left = mostNanos;
            while (!isClosed && left > 0 && names(false).isEmpty()) {
                long pause = names(true).isEmpty() ? left : Math.min(left, AGAIN_NANOS);
                long over = wished.awaitNanos(pause);
                left -= pause - Math.max(0, over);
                if (over <= 0) {
                    cubes.values().forEach(each -> each.isTried = false);
                }
            }
            return names(false);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cubes whose standbys requests wait for. */
    private Set<String> names(boolean isTried) {
        return cubes.entrySet().stream()
                .filter(each -> each.getValue().waiting > 0)
                .filter(each -> each.getValue().isTried == isTried)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Notes that the standby of a cube was looked at; empty if it is not followed here. */
    void step(String name, Optional<? extends Cubes.Standby> index) {
        Look next = begin(name);
        if (!next.isWanted() || index.isEmpty()) {
            return;
        }
        StandbyReport now = index.get().report();
        if (now.state() != State.FOLLOWING || now.completeAt().isEmpty()) {
            return;
        }
        long complete = now.completeAt().getAsLong();
        if (!isStillCurrent(name, now.position(), complete)) {
            Instant known = StandbyViews.known(clock.instant(), nanos.getAsLong() - complete);
            index.get()
                    .view(known)
                    .ifPresent(view -> add(name, view, now.position(), complete, next.drops()));
        }
    }

    /** A look at the standby of a cube: whether requests wait for a view. */
    private record Look(boolean isWanted, long drops) {}

    /** Begins a step; gives up a view that nobody has wanted for long. */
    private Look begin(String name) {
        Optional<Held> old = Optional.empty();
        lock.lock();
        try {
            Followed cube = cubes.get(name);
            if (cube == null || isClosed) {
                return new Look(false, 0);
            }
            cube.isTried = true;
            long now = nanos.getAsLong();
            if (cube.viewers > 0) {
                cube.wantedAt = now;
            } else if (now - cube.wantedAt >= KEPT_NANOS) {
                old = cube.current;
                cube.current = Optional.empty();
            }
            return new Look(cube.viewers > 0, cube.drops);
        } finally {
            lock.unlock();
            old.ifPresent(this::release);
        }
    }

    /** Returns whether the present view has everything; notes since when. */
    private boolean isStillCurrent(String name, Position position, long complete) {
        lock.lock();
        try {
            Followed cube = cubes.get(name);
            boolean isSame =
                    cube.current.isPresent()
                            && cube.position.equals(position)
                            && nanos.getAsLong() - cube.madeAt < AGE_NANOS;
            if (isSame) {
                cube.completeAt = complete;
                made.signalAll();
            }
            return isSame;
        } finally {
            lock.unlock();
        }
    }

    private void add(String name, Cube view, Position position, long complete, long drops) {
        FollowedCube cube = new FollowedCube(name, nanos, 0);
        cube.follow(view);
        passed.accept(cube.lastSequence());
        Optional<Held> old;
        lock.lock();
        try {
            Followed followed = cubes.get(name);
            Held added = new Held(followed, cube);
            followed.views.add(added);
            old = Optional.of(added);
            if (!isClosed && followed.drops == drops) {
                old = followed.current;
                followed.current = Optional.of(added);
                followed.position = position;
                followed.completeAt = complete;
                followed.madeAt = nanos.getAsLong();
                made.signalAll();
            }
        } finally {
            lock.unlock();
        }
        old.ifPresent(this::release);
    }

    /**
     * Closes the views of a cube, which this node opens now. Requests that use them or wait for one
     * get NOT_OPEN.
     */
    void drop(String name) {
        List<Held> all;
        lock.lock();
        try {
            Followed cube = cubes.computeIfAbsent(name, any -> new Followed());
            cube.drops++;
            all = List.copyOf(cube.views);
            cube.views.clear();
            cube.current = Optional.empty();
            made.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(view -> view.cube.close());
    }

    /** Closes all views, and refuses requests. */
    void close() {
        Set<String> names;
        lock.lock();
        try {
            isClosed = true;
            wished.signalAll();
            names = Set.copyOf(cubes.keySet());
        } finally {
            lock.unlock();
        }
        names.forEach(this::drop);
    }
}
